/** Finds values that a word of another language than English announces: `пароль: …`, `令牌为 …`, `パスワード「…」`. */
import { isRandomToken, isSecretValue, isTightSecret } from './judge.ts';
import { type Finder, markEnd, type SecretMatch } from './marks.ts';
import { skip } from './values.ts';

/** The names of each kind, in ASCII and in other letters. */
const passwords = {
  ascii: `mot de passe|mdp|contrasena|clave de acceso|palabra clave|palavra-passe|parola|haslo|heslo|wachtwoord|passord|salasana|adgangskode|kata sandi|lozinka|zaporka|geslo|parool|paroli?|parole|slaptazodis|nenosiri|katalaluan|nywila|wagwoord|contrasenya|contrasinal|pasahitza|cyfrinair|zugangscode|sicherheitscode|codigo de verificacion`,
  other: `パスワード|パスフレーズ|暗証番号|合言葉|密码|密碼|口令|通行码|비밀번호|패스워드|암호|парол\\p{L}{1,3}|гасл[оа]|contraseña|parola d[’'](?:ordine|accesso)|parolă|slaptažod\\p{L}{1,2}|lykilorð|fjalëkalim\\p{L}|salasõna|лозинк\\p{L}|құпиясөз|şifre\\p{L}{0,3}|hasł[oa]|hesl[oa]|jelszó
  |lösenord|κωδικός|סיסמ[הא]|كلمة المرور|كلمة السر|رمز عبور|पासवर्ड|รหัสผ่าน|mật khẩu|گذرواژه|کلمه عبور|پاس ورڈ|পাসওয়ার্ড|கடவுச்சொல்|გასაღები|პაროლი|գաղտնաբառ
  |認証コード|確認コード|验证码|驗證碼|인증번호|код подтверждения|(?:bestätigungs|prüf)code|code de vérification|código de (?:verificación|verificação|acceso)`,
};
const keys = {
  ascii: `clave (?:secreta|privada|api|de api|de la api)|llave (?:secreta|privada)|chave (?:secreta|privada|api|da api|de api|de acesso)|chiave (?:segreta|privata|api)|gizli anahtar|klucz (?:api|prywatny|tajny)|geheimnis`,
  other: `秘密鍵|シークレットキー|シークレット|秘密キー|apiキー|アクセスキー|暗号鍵|暗号キー|私钥|私鑰|密钥|密鑰|秘钥|秘鑰|개인 ?키|비밀 ?키|api ?키|시크릿|(?:секретн|приватн|закрыт)\\p{L}{2,3} ключ\\p{L}{0,2}
  |ключ\\p{L}{0,2} (?:api|доступа|шифрования)|api[- ]ключ\\p{L}{0,2}|секрет\\p{L}{0,2}|(?:geheim|privat)\\p{L}{0,2} schlüssel|(?:api|zugangs|zugriffs)-?schlüssel
  |clé (?:secrète|privée|api|d['’]api|d['’]accès)|api anahtarı|api[- ](?:avain|nyckel|nøgle|nøkkel|klíč|sleutel|kulcs|ključ|κλειδί|kunci)|geheime sleutel|khóa (?:api|bí mật|riêng)|مفتاح (?:api|سري)`,
};
const tokens = {
  ascii: `clave|chave|chiave|jeton|ficha de acceso|zugriffstoken|zugangstoken`,
  other: `トークン|令牌|凭证|憑證|토큰|токен\\p{L}{0,2}|símbolo de acceso|belirteç`,
};
const phrases = {
  ascii: `frase (?:semilla|semente)|wiederherstellungsphrase`,
  other: `ニーモニック|リカバリーフレーズ|シードフレーズ|助记词|助記詞|恢复短语|니모닉|복구 ?구문|мнемоник\\p{L}|мнемоническ\\p{L}{2,3} фраз\\p{L}|сид-?фраз\\p{L}|phrase de récupération|frase de recuperación`,
};

/** A name may go on for five words: `пароль для базы:`, `mot de passe du compte :`. */
const rest = (letter: string) => String.raw`${letter}{0,8}?(?:[ \t](?:${letter}|[0-9_.@'’-]){1,30}){0,5}?`;
const separator = String.raw`[ \t\u3000]{0,4}(?:[:=→“「『«—–]|=>|は|が|を|为|為|是|이|는|은|это|(?:lautet|ist|est|este|es|é|is|er|on|är|to|là|adalah|jest|je)(?=[ \t])(?: (?:nu|now|jetzt|ahora))?)[ \t\u3000]{0,4}`;
const blanks = String.raw`[ \t\u3000]{1,4}`;
const opening = String.raw`["'\`“「『«(\\]{0,4}`;

function hintsOf(script: 'ascii' | 'other'): RegExp {
  const names = [passwords, keys, tokens, phrases]
    .map((kind) => `(${kind[script].replaceAll(/\n\s+/g, '')})`)
    .join('|');
  // A pattern with the flag u takes twice as long.
  const [boundary, letter, flags] =
    script === 'ascii' ? [String.raw`\b`, '[A-Za-zÀ-ÿ]', 'gi'] : ['', String.raw`\p{L}`, 'giu'];
  return new RegExp(
    `${boundary}(?:${names})["'\\\\)]{0,3}(${rest(letter)}${separator}|${blanks})${opening.replace('\\`', '`')}(?=[!-~])`,
    flags,
  );
}
const latinHints = hintsOf('ascii');
const languageHints = hintsOf('other');

const value = /[!-~]{4,300}/y;
const bareValue = /^(?:[^"'`\\<>]*[^"'`\\<>.,;:!?)\]}])?/;
const phraseWords = /[A-Za-z]{3,12}(?:[\s,、]{1,3}[A-Za-z]{3,12}){7,24}/y;

function findInLanguage(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
  const [whole, password, , , phrase, between = ''] = hit;
  const start = hit.index + whole.length;
  if (markEnd(text, start) !== undefined) return [];
  if (phrase !== undefined) {
    const end = skip(phraseWords, text, start);
    return end > start ? [{ kind: 'recovery phrase', start, end }] : [];
  }
  value.lastIndex = start;
  const written = bareValue.exec(value.exec(text)?.[0] ?? '')?.[0] ?? '';
  const isSecret = between.trim() === '' ? isUnseparated(written, password !== undefined) : isAnnounced(written, hit);
  return isSecret ? [{ kind: 'secret', start, end: start + written.length }] : [];
}

function isUnseparated(written: string, isPassword: boolean): boolean {
  return isRandomToken(written, 16) || (isPassword && isTightSecret(written));
}

function isAnnounced(written: string, [, password, key]: RegExpExecArray): boolean {
  const isStrong = password !== undefined || key !== undefined;
  return (
    isSecretValue(written, isStrong ? 'strong' : 'weak', true) && (isTightSecret(written) || /[^A-Za-z]/.test(written))
  );
}

export const languageFinders: readonly Finder[] = [
  { hints: latinHints, find: findInLanguage },
  { hints: languageHints, find: findInLanguage, needs: 'otherScript' },
];
