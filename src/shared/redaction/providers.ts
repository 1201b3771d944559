/** Finds values that only the name of their provider announces (`COHERE: …`), by gitleaks' rules. */
import { providerValues } from './generated/gitleaks-rules.ts';
import { isRandom } from './judge.ts';
import { type Finder, markEnd, type SecretMatch } from './marks.ts';
import { isIdName } from './names.ts';

const valuesByProvider = new Map<string, RegExp[]>();
for (const { providers, value } of providerValues)
  for (const provider of providers.split(' '))
    valuesByProvider.set(provider, [...(valuesByProvider.get(provider) ?? []), value]);

/** Services of nodes and chain data, whose keys have no common form. */
const services =
  'alchemy infura quicknode moralis etherscan polygonscan bscscan arbiscan helius ankr chainstack blockdaemon covalent tatum thirdweb tenderly pinata opensea coingecko coinmarketcap cryptocompare gelato pimlico biconomy dune nodereal getblock drpc nownodes';
const serviceValue = /[A-Za-z0-9_-]{20,128}(?![\w-])/y;
for (const service of services.split(' ')) valuesByProvider.set(service, [serviceValue]);

const separator = String.raw`[\\\]"']{0,4}\s{0,3}(?:=>|:=|\?=|[:=>,])[\s"'\x60\\=]{0,6}`;
const providerHints = new RegExp(`(${[...valuesByProvider.keys()].join('|')})([ \\t\\w.-]{0,20}?)${separator}`, 'gi');

function findOfProvider(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
  const [whole, provider = '', name = ''] = hit;
  const start = hit.index + whole.length;
  const isKeyId = services.includes(provider.toLowerCase()) && /^[_.-]?(?:project[_-]?|app[_-]?)?id$/i.test(name);
  if ((isIdName(name) && !isKeyId) || markEnd(text, start) !== undefined) return [];
  for (const value of valuesByProvider.get(provider.toLowerCase()) ?? []) {
    value.lastIndex = start;
    const written = value.exec(text)?.[0];
    if (written !== undefined && /\d/.test(written) && isRandom(written.replaceAll('-', '')))
      return [{ kind: 'API key', start, end: start + written.length }];
  }
  return [];
}

export const providerFinders: readonly Finder[] = [{ hints: providerHints, find: findOfProvider, needs: 'longWord' }];
