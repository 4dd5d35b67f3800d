/** Which addresses a fetch may reach: public ones only, unless private hosts are allowed. */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { PipelineError } from '../../runner/errors.js';

/** True for a globally routable unicast address; IPv4 inside IPv6 is judged as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}

export function blockedAddress(host: string, address: string): PipelineError {
  return new PipelineError('http-blocked', `${host} is at ${address}, which is not a public address.`, {
    remedy: 'Set http.allowPrivateHosts in config.yaml if you trust it.',
  });
}

/** Host of a URL without IPv6 brackets. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for sockets that refuses non-public results. Checking here, at connect time, leaves no gap between the
 * check and the connection in which a name could change its address.
 */
export function guardedLookup(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const bad = addresses.find(({ address }) => !isPublicAddress(address));
    if (bad) return callback(blockedAddress(hostname, bad.address), []);
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family ?? 4);
  });
}
