/** Bytes to text: labels lie, bytes do not. */
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../lib/feeds/bytes.js';

const prolog = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
const german = '<title>Grüße aus Köln, „fünf“ Straßen weiter</title>';
const russian = `<title>${'Новости науки и техники за сегодня. '.repeat(6)}</title>`;

describe('decodeBytes', () => {
  it('does not believe a prolog against valid UTF-8', () => {
    const read = decodeBytes(Buffer.from(prolog('iso-8859-1') + german), 'text/xml; charset=windows-1251');
    expect(read.text).toContain('Grüße aus Köln');
    expect(read).toMatchObject({ encoding: 'utf-8', repairs: ['labelled windows-1251, but is UTF-8'] });
  });

  it.each([
    ['windows-1251', russian],
    ['koi8-r', russian],
    ['shift_jis', '<title>東京の天気予報です</title>'],
    ['euc-kr', '<title>오늘의 뉴스</title>'],
    ['big5', '<title>今日新聞摘要</title>'],
  ])('reads %s by its prolog', (encoding, text) => {
    expect(decodeBytes(iconv.encode(prolog(encoding) + text, encoding)).text).toContain(text);
  });

  it('reads ISO-2022-JP, whose bytes are all ASCII', () => {
    const title = [0x1b, 0x24, 0x42, 0x45, 0x6c, 0x35, 0x7e, 0x1b, 0x28, 0x42];
    expect(decodeBytes(Buffer.concat([Buffer.from(prolog('iso-2022-jp')), Buffer.from(title)])).text).toContain('東京');
  });

  it('takes iso-8859-1 for what it means on the web', () => {
    const bytes = Buffer.concat([Buffer.from(`${prolog('iso-8859-1')}<t>`), Buffer.from([0x93, 0x80, 0x94])]);
    expect(decodeBytes(bytes).text).toContain('“€”');
  });

  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])('recognises %s by its mark', (encoding) => {
    const text = `<rss>${german}</rss>`;
    expect(decodeBytes(iconv.encode(text, encoding, { addBOM: true })).text.replace('\uFEFF', '')).toBe(text);
  });

  it.each(['utf-16le', 'utf-16be', 'utf-32le'])('recognises %s by its zero bytes', (encoding) => {
    expect(decodeBytes(iconv.encode(`<rss>${german}</rss>`, encoding, { addBOM: false })).text).toContain('Grüße');
  });

  it('finds the encoding where nobody names it, and says so', () => {
    const read = decodeBytes(iconv.encode(russian, 'windows-1251'));
    expect(read.text).toBe(russian);
    expect(read.repairs[0]).toContain('no encoding given');
  });

  it('keeps UTF-8 with a few broken bytes UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(`<t>${german}`), Buffer.from([0xff, 0xc3]), Buffer.from('</t>')]);
    const read = decodeBytes(bytes);
    expect(read.text).toContain('Grüße aus Köln');
    expect(read).toMatchObject({ encoding: 'utf-8', repairs: ['2 byte sequence(s) that are not UTF-8'] });
  });
});
