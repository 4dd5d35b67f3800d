import { describe, expect, it } from 'vitest';
import { fragmentToMarkdown } from '../../../lib/web/fragment.js';

const convert = (html: string, url?: string): string => fragmentToMarkdown(html, url);

describe('fragmentToMarkdown', () => {
  it('gives fenced code with its language and a fence longer than any inside', () => {
    expect(convert('<pre><code class="language-ts">a < b\n```\nx</code></pre>')).toBe('````ts\na < b\n```\nx\n````');
    expect(convert('<div class="highlight-source-rust"><pre>fn main() {}</pre></div>')).toBe(
      '```rust\nfn main() {}\n```',
    );
  });

  it('gives tables of the GFM kind', () => {
    const html = '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x | y</td></tr></table>';
    const [head, line, row] = convert(html).split('\n');
    expect(head).toMatch(/^\| a +\| b +\|$/);
    expect(line).toMatch(/^\| -+ \| -+ \|$/);
    expect(row).toMatch(/^\| 1 +\| x \\\| y +\|$/);
  });

  it('survives cells that lost their table', () => {
    expect(convert('<div><tr><td>one</td></tr></div>')).toBe('one');
  });

  it('keeps formulas as they are written', () => {
    expect(convert('<p>with $a_b * c_d$ and \\(x_1\\)</p>')).toBe('with $a_b * c_d$ and \\(x_1\\)');
    const katex =
      '<span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math><span>rendered</span></span>';
    expect(convert(`<p>so ${katex}.</p>`)).toBe('so $x^2$.');
    expect(convert('<p>a</p><script type="math/tex; mode=display">\\sum_i i</script>')).toContain('$$\\sum_i i$$');
  });

  it('makes addresses absolute and resolves lazy images', () => {
    expect(convert('<a href="../b#c">b</a>', 'https://e.example/x/y')).toBe('[b](https://e.example/b#c)');
    expect(convert('<img src="data:image/gif;base64,R0" data-src="/p.png" alt="plot">', 'https://e.example/')).toBe(
      '![plot](https://e.example/p.png)',
    );
    expect(convert('<img data-srcset="/s.png 1x, /l.png 2x" alt="s">', 'https://e.example/')).toBe(
      '![s](https://e.example/s.png)',
    );
  });

  it.each([
    '<img src="https://t.example/open.gif" width="1" height="1">',
    '<img src="https://stats.example/x.png?u=1" style="width:1px;height:1px">',
    '<img src="https://ad.doubleclick.net/a.png">',
    '<script>alert(1)</script>',
    '<style>p{color:red}</style>',
    '<iframe src="https://x.example"></iframe>',
    '<img src="data:image/png;base64,AAAA">',
  ])('drops %s', (html) => {
    expect(convert(`<p>kept</p>${html}`)).toBe('kept');
  });

  it('keeps pictures with one tiny side, and the words of a link that would run code', () => {
    expect(convert('<img src="https://e.example/p.jpg" width="570" height="0" alt="p">')).toBe(
      '![p](https://e.example/p.jpg)',
    );
    expect(convert('<a href="javascript:alert(1)">words</a>')).toBe('words');
  });

  it('turns footnotes into footnotes', () => {
    const html =
      '<p>Said<sup><a href="#fn1">1</a></sup>.</p><ol><li id="fn1">By whom <a href="#fnref1">↩</a></li></ol>';
    const markdown = convert(html);
    expect(markdown).toContain('Said[^1].');
    expect(markdown).toMatch(/\[\^1\]: By whom/);
  });
});
