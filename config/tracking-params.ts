/** The shape of config/tracking-params.yaml, and the URL cleaner as a resource that stages use. */
import { z } from 'zod';
import { createUrlCleaner, type UrlCleaner } from '../lib/identity/clean-url.js';

const patterns = z.array(z.string().min(1));

export const trackingParamsSchema = z.strictObject({
  everywhere: z.record(z.string(), patterns).describe('Parameters stripped on every site, in named groups.'),
  hosts: z.record(z.string(), patterns).describe('Parameters stripped on one site and its subdomains.'),
  redirectors: z
    .array(z.strictObject({ host: z.string(), path: z.string().startsWith('/'), parameters: patterns }))
    .describe('Links whose target stands in a parameter.'),
  fragments: patterns.describe('Fragments that mean nothing for what the page is.'),
});

export type TrackingParams = z.output<typeof trackingParamsSchema>;

/** A cleaner for one configuration. */
export function urlCleanerFrom(config: TrackingParams): UrlCleaner {
  return createUrlCleaner({ ...config, everywhere: Object.values(config.everywhere).flat() });
}

declare module '../runner/resources.js' {
  interface ResourceTypes {
    urlCleaner: UrlCleaner;
  }
}
