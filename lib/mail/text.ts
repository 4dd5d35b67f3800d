/** A plain-text message as HTML: paragraphs, lists, links; signature and footer dropped. */
import { escapeHtml } from '../feeds/html.js';
import { unwrapLink } from './links.js';

const FOOTER_LINE =
  /unsubscribe|manage (?:your )?(?:preferences|subscription)|abbestellen|abmelden|se désabonner|darse de baja|wypisz się/i;
/** Lines from the end in which a footer may start. */
const FOOTER_REACH = 15;

export function textToHtml(text: string): string {
  return withoutFooter(text.replace(/\r\n?/g, '\n'))
    .split(/\n[ \t]*\n+/)
    .map((paragraph) => paragraph.replace(/^\n+|\s+$/g, ''))
    .filter((paragraph) => paragraph.trim() !== '')
    .map(block)
    .join('\n');
}

function withoutFooter(text: string): string {
  // "-- " on a line of its own starts the signature (RFC 3676).
  const lines = (text.split(/^-- ?$/m, 1)[0] ?? '').split('\n');
  const whole = lines.some((line) => line.trim() !== '') ? lines : text.split('\n');
  const from = Math.max(1, whole.length - FOOTER_REACH);
  const footer = whole.findIndex((line, index) => index >= from && FOOTER_LINE.test(line));
  if (footer < 0) return whole.join('\n');
  let start = footer;
  while (start > from && whole[start - 1]?.trim() !== '') start--;
  return whole.slice(0, start).join('\n');
}

function block(paragraph: string): string {
  const lines = paragraph.split('\n');
  if (lines.every((line) => /^\s*[-*•]\s+/.test(line)))
    return `<ul>${lines.map((line) => `<li>${inline(line.replace(/^\s*[-*•]\s+/, ''))}</li>`).join('')}</ul>`;
  if (lines.every((line) => line.startsWith('>')))
    return `<blockquote><p>${lines.map((line) => inline(line.replace(/^>\s?/, ''))).join('<br>')}</p></blockquote>`;
  return `<p>${lines.map(inline).join('<br>')}</p>`;
}

function inline(line: string): string {
  return line
    .split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]'])/)
    .map((part, index) => {
      if (index % 2 === 0) return escapeHtml(part);
      const target = escapeHtml(unwrapLink(part));
      return `<a href="${target.replaceAll('"', '&quot;')}">${target}</a>`;
    })
    .join('');
}
