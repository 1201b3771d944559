/** The connections to query services: kept open, few, through the operator's proxy where there is one. */
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';

/** As in the variables of the same names; nothing is read from the environment here. */
export type ProxySettings = { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };

const connectionsPerOrigin = 32;
const connectTimeoutMs = 2000;

/** A service on this very machine is never reached through a proxy. */
const loopback = 'localhost,127.0.0.1,[::1]';

/** A private certificate authority comes with Node's own NODE_EXTRA_CA_CERTS. */
export function createPool(proxy: ProxySettings): Dispatcher {
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = proxy;
  return new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    noProxy: noProxy === '*' ? '*' : `${noProxy},${loopback}`,
    connections: connectionsPerOrigin,
    connect: { timeout: connectTimeoutMs },
  });
}
