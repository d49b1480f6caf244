// The transcripts: blocks of JSON, compressed, in elements of the page. Opening a trial unpacks the one block it is in.

/** How many unpacked blocks are kept. */
const KEPT = 6;

const blocks = new Map();

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

async function unpack(id) {
  const holder = byId(id);
  if (!holder) throw new Error('a part of this file is missing; it may have been cut off while it was copied');
  if (!self.DecompressionStream) throw new Error('this browser cannot unpack the transcripts; one from 2023 or later can');
  const stream = new Blob([fromBase64(holder.textContent)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

/** The entries of a block. The blocks used last are kept. */
function block(number) {
  let entries = blocks.get(number);
  blocks.delete(number);
  if (!entries) entries = unpack('block-' + number);
  blocks.set(number, entries);
  if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
  return entries;
}
