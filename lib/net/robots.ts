/** robots.txt, asked once per site and process; only pages are subject to it, feeds are meant to be fetched. */
import robotsModule from 'robots-parser';
import { PipelineError } from '../../runner/errors.js';
import type { HttpRequest, HttpResponse } from './types.js';

// The package is CommonJS with typings written for a default export.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

/** RFC 9309 asks for at least this. */
const MAX_BYTES = 500 * 1024;

type Answer = (url: string) => boolean;

/** Keeps what each origin allows. */
export class Robots {
  private readonly known = new Map<string, Promise<Answer>>();

  /** @param userAgent only its product name (`Sluice` of `Sluice/0.1 …`) is compared. */
  constructor(
    private readonly userAgent: string,
    private readonly get: (request: HttpRequest) => Promise<HttpResponse>,
  ) {}

  /** @throws {PipelineError} `http-robots` when the site asks programs to stay away from the page. */
  async check(url: URL, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    const known = this.known.get(url.origin);
    const asking = known ?? this.ask(url.origin, timeoutMs, signal);
    if (!known) {
      this.known.set(url.origin, asking);
      asking.catch(() => this.known.delete(url.origin));
    }
    if ((await asking)(url.href)) return;
    throw new PipelineError('http-robots', `robots.txt of ${url.host} asks programs not to read this page.`, {
      remedy: 'Set http.respectRobots to false in config.yaml if you may read it.',
    });
  }

  private async ask(origin: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Answer> {
    const url = `${origin}/robots.txt`;
    let response: HttpResponse;
    try {
      response = await this.get({ url, maxBytes: MAX_BYTES, timeoutMs, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      // A host that rests or is refused says so about the page as well; any other trouble is the page's to report.
      if (error instanceof PipelineError && ['http-paused', 'http-blocked', 'http-offline'].includes(error.code))
        throw error;
      return () => true;
    }
    // RFC 9309: no such file allows all, a failing server allows nothing.
    if (response.status >= 500) return () => false;
    if (response.status >= 300) return () => true;
    const rules = robotsParser(url, new TextDecoder().decode(response.body));
    return (page) => rules.isAllowed(page, this.userAgent) ?? true;
  }
}
