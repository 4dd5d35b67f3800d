/** What went wrong on the wire, in words, with what to do about it. */
import { messageOf, PipelineError } from '../../runner/errors.js';

const TLS = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** Any error of an exchange as a `PipelineError`; those that are one already pass through. */
export function explainFailure(url: URL, error: unknown): PipelineError {
  const cause = rootOf(error);
  if (cause instanceof PipelineError) return cause;
  const code = (cause as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' ? code : '';
  if (TLS.test(name)) {
    return new PipelineError('http-tls', `${url.host} has no valid certificate or speaks no common TLS (${name}).`, {
      cause,
      remedy: 'Open it in a browser to see why; certificates are never ignored.',
    });
  }
  if (name === 'ENOTFOUND' || name === 'EAI_AGAIN') {
    return new PipelineError('http-dns', `The name ${url.hostname} cannot be resolved (${name}).`, {
      cause,
      remedy: 'Check the spelling and the network connection.',
      transient: name === 'EAI_AGAIN',
    });
  }
  if (/^(Z_|ERR_ZLIB|ERR__ERROR|ERR_BROTLI|ERR_PADDING)/.test(name) || /^ERR_.*FORMAT/.test(name)) {
    return new PipelineError('http-encoding', `The answer of ${url.host} is not compressed as it says (${name}).`, {
      cause,
      remedy: 'It is tried again later.',
    });
  }
  return new PipelineError('http-failed', `${url.href} could not be fetched: ${name || messageOf(cause)}.`, {
    cause,
    remedy: 'It is tried again later.',
    transient: UNREACHABLE.has(name),
  });
}

/** A socket that tried several addresses fails with all their errors; the first is as good as any. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  if (error instanceof Error && error.cause instanceof Error && !(error instanceof PipelineError))
    return rootOf(error.cause);
  return error;
}
