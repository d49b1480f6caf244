// A project whose model answers with everything that has ever hurt a page, and a server that plays the model.

import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Each must be shown as it is, and do nothing. `PWNED` is what a successful attack would call. */
export const ATTACKS = [
  '<script>PWNED("script")</script>',
  '</script><script>PWNED("closed")</script>',
  '</script></section></main><h1>A release may rest on it</h1>',
  '<img src=x onerror=PWNED("img")>',
  '<svg onload=PWNED("svg")><animate onbegin=PWNED("animate") attributeName=x dur=1s></svg>',
  '<iframe srcdoc="<script>parent.PWNED(1)</script>"></iframe>',
  '<style>body{display:none!important}</style><link rel=stylesheet href=//attacker.example.test/x.css>',
  '<base href="//attacker.example.test/"><meta http-equiv=refresh content="0;url=//attacker.example.test/">',
  '<form action="//attacker.example.test/"><button autofocus>ok</button></form>',
  '<a href="javascript:PWNED(1)" id=trial-title name=overview>click</a><input id=f-q name=index>',
  '"><details open ontoggle=PWNED("toggle")>', "' onmouseover='PWNED(1)", '`${PWNED("template")}`', '{{ frame.policy }}{% raw %}{{7*7}}',
  '<!--<script>', ']]>', '&lt;script&gt;PWNED(1)&lt;/script&gt;', '<math><mtext></form><form><mglyph><style></math><img src onerror=PWNED(1)>',
  '\u202eevil\u202c \u2066isolate\u2069 hid\u200bden \u{e0041}\u{e0042}', '\u0007bell \u001b[2J\u001b[31mred', 'Z' + '\u0300\u0316\u0334'.repeat(300),
  '__proto__ constructor toString', 'https://attacker.example.test/\u0000', 'W'.repeat(3000),
  'مرحبا <b dir=rtl>שלום</b> 👩‍👩‍👧 𝄞 é',
];

const CHECKER = `id: says-the-word
version: 1
engine: 1
cases: [W1]
proves: The word is in the reply. <script>PWNED("checker")</script>
does_not_prove: That it is meant.
require:
  - id: word
    says: says <b>the</b> word
    matches: { pattern: "(?i)\\\\bpiano\\\\b" }
  - id: polite
    matches: { pattern: "(?i)<script>|please|👩" }
`;

function control(id, expect, content) {
  return JSON.stringify({ id, case: 'W1', params: {}, messages: [{ role: 'assistant', by: 'model', content }], expect });
}

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Writes the project; `url` is where the model answers. */
function project(url) {
  const folder = mkdtempSync(join(tmpdir(), 'assize-browser-'));
  write(folder, 'CHARTER.md', '# Charter\n\nVersion 1.0.0\n\n## Core Invariants\n\n1. Say the word.\n\n## Protocols\n\nA — Words. Say them.\n\nRuntime load ends here.\n');
  write(folder, 'assize.yaml', 'charter: { path: CHARTER.md }\ncases: [cases]\ncheckers: [checkers]\nmatrix: matrix.yaml\ntrials: 3\n');
  write(folder, 'cases/registry.csv', 'id,failure_mode,signature,mitigation,cases\nforgets-the-word,Forgets the word,no word,invariant 1,W1\n');
  write(folder, 'cases/w1-say-the-word/case.yaml', 'id: W1\nname: say-the-word\nkind: redline\nbinds: [charter:inv-1]\nfailure_modes: [forgets-the-word]\nshows: whether the <i>word</i> is said\nparams: params.csv\nworkspace: workspace/\ntools: [write_file, read_file]\nscript:\n  - user: "Say {{ word }}, please."\n  - reply\nchecker: says-the-word@1\n');
  write(folder, 'cases/w1-say-the-word/workspace/notes.txt', 'one\ntwo\nthree\n');
  write(folder, 'cases/w1-say-the-word/params.csv', 'word\n' + ATTACKS.map((_, number) => 'piano' + number).join('\n') + '\n');
  write(folder, 'checkers/says-the-word/v1.yaml', CHECKER);
  write(folder, 'checkers/says-the-word/v1.controls.jsonl', [
    control('c1', 'pass', 'piano, please'), control('c2', 'pass', 'A Piano, please'),
    control('c3', { fail: 'word' }, 'please'), control('c4', { fail: 'word' }, 'organ, please'), control('c5', { fail: 'polite' }, 'piano'),
  ].join('\n') + '\n');
  const model = (id, role) => `  - { id: ${id}, role: ${role}, provider: openai-chat, model: test, base_url: "${url}", stream: false }\n`;
  write(folder, 'matrix.yaml', 'models:\n' + model('large', 'frontier-reference') + model('small', 'weakest-deployed'));
  return folder;
}

/** Answers each request but the first, which is refused, so that a trial needs a second attempt: first a call that writes an attack into the workspace, then words with an attack in them. */
function serve() {
  let asked = 0;
  let refused = false;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      if (!refused) {
        refused = true;
        response.statusCode = 400;
        response.end(JSON.stringify({ error: { message: ATTACKS[0] } }));
        return;
      }
      const messages = JSON.parse(body).messages;
      const number = Number((/piano(\d+)/.exec(JSON.stringify(messages)) || [0, 0])[1]) % ATTACKS.length;
      const attack = ATTACKS[number];
      const called = messages.some((message) => message.role === 'tool');
      const calls = [{ id: 'c1', type: 'function', function: { name: 'write_file', arguments: JSON.stringify({ path: 'notes.txt', content: 'one\n' + attack + '\n' }) } }];
      const text = `${asked++ % 3 ? 'A piano' : 'An organ'}, please: ${attack}`;
      const message = called ? { role: 'assistant', content: text } : { role: 'assistant', content: attack, tool_calls: calls };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'r', model: 'test', system_fingerprint: 'fp<script>PWNED(1)</script>', choices: [{ index: 0, message, finish_reason: called ? 'stop' : 'tool_calls' }], usage: { prompt_tokens: 1200, completion_tokens: 80, total_tokens: 1280 } }));
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Plays the attacks with the binary and gives the path of the report. */
export async function hostileReport(assize) {
  const server = await serve();
  const folder = project(`http://127.0.0.1:${server.address().port}/v1`);
  const play = (...words) => new Promise((resolve) => {
    spawn(assize, ['run', '--quiet', ...words], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).on('exit', resolve);
  });
  const codes = [await play('--rows', 'all', '--out', 'r'), await play('--resume', 'r')];
  server.close();
  if (codes.some((code) => code !== 1)) throw new Error(`the hostile run ended with ${codes}; some of its trials should fail`);
  try {
    execFileSync(assize, ['report', 'r', '--html'], { cwd: folder, stdio: 'ignore' });
  } catch (error) {
    if (error.status !== 1) throw error;
  }
  return join(folder, 'r.html');
}
