/** One message read: who, when, from which list, and its content as clean HTML. */
import PostalMime, { type Email } from 'postal-mime';
import { isoDateOf } from '../dates.js';
import { foldSpace } from '../feeds/html.js';
import { type CleanMail, cleanMailHtml } from './clean-html.js';
import { mendText, rawBody, rawHeader } from './mend.js';
import { textToHtml } from './text.js';

export interface Message {
  /** Message-ID without brackets. */
  readonly id?: string;
  readonly subject: string;
  /** Name or address of the sender. */
  readonly from?: string;
  /** Name of the mailing list or newsletter: List-Id. */
  readonly list?: string;
  /** ISO 8601 UTC; absent when the Date header is none. */
  readonly date?: string;
  readonly language?: string;
  /** Content without preheader, footer and counters; '' when the message has no text. */
  readonly html: string;
  /** Where the message can be read on the web. */
  readonly webVersion?: string;
}

/** Reads a message; broken MIME is read as far as it goes. `now` is milliseconds since the epoch. */
export async function readMessage(bytes: Uint8Array, now: number): Promise<Message> {
  const mail = await PostalMime.parse(bytes);
  const header = (name: string): string | undefined => mail.headers.find(({ key }) => key === name)?.value;
  const subject = whole(mail.subject) ?? rawHeader(bytes, 'subject') ?? '';
  const { html, webVersion } = await contentOf(mail, bytes);
  const id = mail.messageId?.replace(/^<|>$/g, '').trim();
  const from = mail.from?.name || mail.from?.address;
  const list = listName(header('list-id'));
  const date = isoDateOf(mail.date ?? header('date'), now);
  const language = header('content-language')?.split(',')[0]?.trim();
  return {
    subject: foldSpace(mendText(subject)),
    html,
    ...(id ? { id } : {}),
    ...(from ? { from: foldSpace(mendText(from)) } : {}),
    ...(list === undefined ? {} : { list }),
    ...(date === undefined ? {} : { date }),
    ...(language ? { language } : {}),
    ...(webVersion === undefined ? {} : { webVersion }),
  };
}

/** The HTML part, else the text part, else what a forwarded message or a body without parts holds. */
async function contentOf(mail: Email, bytes: Uint8Array): Promise<CleanMail> {
  const clean = cleanMailHtml(mendText(mail.html ?? ''));
  const text = mendText(mail.text ?? '').trim();
  // A text part beside an HTML part without words (a picture with a link) says more.
  if (/\p{L}/u.test(clean.html.replace(/<[^>]*>/g, ''))) return clean;
  if (LOOKS_LIKE_HTML.test(text)) return cleanMailHtml(text);
  if (text !== '') return { ...clean, html: textToHtml(text) };
  for (const { mimeType, content } of mail.attachments) {
    if (mimeType !== 'message/rfc822' || typeof content === 'string') continue;
    const inner = await PostalMime.parse(content);
    return { html: textToHtml(mendText(inner.text ?? '')) || cleanMailHtml(mendText(inner.html ?? '')).html };
  }
  return { html: mail.attachments.length === 0 && mail.text === undefined ? textToHtml(rawBody(bytes)) : '' };
}

const LOOKS_LIKE_HTML = /^<(?:!doctype html|html|body|div|table|p|h1)\b.*<\/\w+>\s*$/is;

/** Undefined for a header that could not be decoded. */
function whole(text: string | undefined): string | undefined {
  return text === undefined || text.includes('\ufffd') ? undefined : text;
}

/** `Weekly News <weekly.example.org>` -> Weekly News; the id itself when there is no name (RFC 2919). */
function listName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, phrase, id] = /^\s*"?([^"<]*?)"?\s*<([^>]*)>/.exec(header) ?? [];
  const name = foldSpace(phrase || id || header);
  return name === '' ? undefined : name;
}
