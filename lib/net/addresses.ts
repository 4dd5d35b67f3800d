/** Which addresses the fetcher may connect to: a feed must not be able to make us read the user's own network. */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { PipelineError } from '../../runner/errors.js';

/** True hosts: all private addresses; names: only these hosts may have a private address. */
export type PrivateHosts = boolean | readonly string[];

/** Resolves a name to all its addresses; tests inject another. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * True for addresses on the public internet. Everything with a special meaning is refused: loopback, private,
 * link-local (cloud metadata services), carrier-grade NAT, multicast, documentation ranges. An IPv4 address inside an
 * IPv6 one (mapped, NAT64) counts as what it stands for.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  const six = parsed as ipaddr.IPv6;
  if (six.isIPv4MappedAddress()) return six.toIPv4Address().range() === 'unicast';
  if (six.range() === 'rfc6052') return new ipaddr.IPv4(six.toByteArray().slice(-4)).range() === 'unicast';
  return six.range() === 'unicast';
}

/** Whether a host may have a private address. */
export function mayBePrivate(hostname: string, allowed: PrivateHosts): boolean {
  return typeof allowed === 'boolean' ? allowed : allowed.includes(bare(hostname));
}

/** Host as an address without brackets, or a lower-case name without the final dot. */
export function bare(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Refuses hosts that are private by how they are written; names are checked when they are resolved. */
export function checkHost(url: URL, allowed: PrivateHosts): void {
  const host = bare(url.hostname);
  if (mayBePrivate(host, allowed)) return;
  const isPrivate = isIP(host) === 0 ? /(^|\.)(localhost|local|internal)$/.test(host) : !isPublicAddress(host);
  if (isPrivate) throw blocked(host);
}

/**
 * A `lookup` for sockets: the addresses that are checked are the ones that are connected to, so a name that resolves
 * differently the second time (DNS rebinding) gains nothing.
 */
export function guardedLookup(allowed: PrivateHosts, resolve: Lookup = systemLookup) {
  return (
    hostname: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const usable = mayBePrivate(hostname, allowed) ? found : found.filter(({ address }) => isPublicAddress(address));
      const [first] = usable;
      if (!first) return callback(blocked(hostname), []);
      if (options.all) callback(null, usable);
      else callback(null, first.address, first.family);
    });
  };
}

function blocked(host: string): PipelineError {
  return new PipelineError('http-blocked', `${host} is a private or local address and is not fetched.`, {
    remedy: 'If you trust it, name it in http.allowPrivateHosts in config.yaml.',
  });
}
