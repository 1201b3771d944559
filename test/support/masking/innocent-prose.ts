/** Sentences about secrets without one, in several languages. */
export const prose: readonly string[] = `The password policy was updated, and tokens are rotated every 30 days.
Please reset your password; the link is valid for 24 hours.
The token is invalid or has expired, sign in again.
Your API key is missing the scope workflows:read.
API key: not configured. Set QUERY_SERVICE_API_KEY and restart.
The secret is to start early and to keep the session short.
A bearer token identifies the caller; basic authentication is not supported.
Authorization: required for all routes below /v1.
Password: at least twelve characters, one of them a digit.
The access token was refreshed 3 times within 10 minutes.
Private key is not valid for this certificate.
The recovery phrase: write it down and never share it.
Mnemonic: invalid checksum.
Cookie: the browser refused it because SameSite=None requires Secure.
Every key of the map is checked against the allow-list before it is used.
The passphrase for the key store was not given.
Secret rotation failed: access denied by policy arn for role operator.
token: must be a string
token: expected 3 parts, got 1
password: too short (minimum is 8 characters)
The seed round closed, tokens unlock in March.
Session 4 of the training was cancelled.
Das Passwort ist abgelaufen, bitte ein neues setzen.
Der Token konnte nicht erneuert werden: Zeitüberschreitung beim Anmeldedienst.
Passwort: muss mindestens acht Zeichen haben.
Le jeton est expiré ; le mot de passe doit être changé avant vendredi.
Le secret partagé n’a pas été trouvé dans le coffre.
La contraseña no coincide con la confirmación.
El token no es válido para este contrato.
Il token è scaduto, la sessione è stata chiusa.
A senha precisa ter pelo menos oito caracteres.
Hasło wygasło, zaloguj się ponownie.
Токен истёк, войдите снова. Пароль не подходит.
パスワードの有効期限が切れています。トークンを更新してください。
令牌已过期，请重新登录。密码错误。
토큰이 만료되었습니다. 비밀번호를 다시 입력하세요.
كلمة المرور غير صحيحة، انتهت صلاحية الرمز.
Salasana on vanhentunut, kirjaudu uudelleen.
We paused the deployment because the last five executions failed with the same cause.
Nothing else changed, so the previous version may be restored by an administrator.
The keynote is at nine, the workshop on authoring follows at ten.
Monkeys, turkeys and donkeys are not keys; passengers and compasses need no password.
The authors of the secretariat's report thank the tokenomics working group.
Use --token to pass a token, or set TOKEN in the environment.
Use -p to give a password; it is read from standard input if left out.
Type your password: it is not shown.
Enter the code we sent to a***@example.com.
Both sides derive the session key from the shared secret with HKDF.
Error 401 (Unauthorized): token signature does not match its header.
Error code 0x80070005: access is denied, credential manager is locked.
We could not sign in: auth server said try again later.
The basic plan has 50 tokens a second, the pro plan 500.`.split('\n');
