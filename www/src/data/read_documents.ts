/** Reads a file as batches of documents, so that memory holds one batch and never the file. */
import type { Document } from 'pandodb';
import { parsePiece } from './extended_json.ts';
import { DocumentSplitter } from './split.ts';

/** A batch ends with whichever comes first. Large enough that a commit is worth it, small enough that the page stays alive. */
const BATCH_DOCUMENTS_MAX = 2000;
const BATCH_CHARACTERS_MAX = 1024 * 1024;

export interface Batch {
  documents: Document[];
  /** Bytes of the file read so far. */
  bytesRead: number;
}

/** UTF-8, or UTF-16 if the file starts with its mark. */
function decoderFor(first: Uint8Array): TextDecoder {
  const utf16 = first[0] === 0xff && first[1] === 0xfe ? 'utf-16le' : first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : undefined;
  return new TextDecoder(utf16 ?? 'utf-8', { fatal: true });
}

/** The text of a stream of bytes, with the number of bytes it was decoded from. */
async function* textOf(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<{ text: string; bytesRead: number }> {
  const reader = stream.getReader();
  let bytesRead = 0;
  let decoder: TextDecoder | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      decoder ??= decoderFor(value ?? new Uint8Array());
      try {
        const text = decoder.decode(value, { stream: !done });
        bytesRead += value?.length ?? 0;
        yield { text, bytesRead };
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new Error(`The file is not text in UTF-8: after byte ${bytesRead.toLocaleString('en')} comes something else`);
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * The documents of a file in batches. Documents before an error are given out before it is thrown.
 *
 * Rejects with an `ImportError` that names line and column, or with the signal's reason.
 */
export async function* readDocuments(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Batch> {
  const splitter = new DocumentSplitter();
  let documents: Document[] = [];
  let characters = 0;
  let bytesRead = 0;
  const take = (): Batch => {
    const batch = { documents, bytesRead };
    documents = [];
    characters = 0;
    return batch;
  };
  let failure: unknown;
  try {
    for await (const part of textOf(stream, signal)) {
      bytesRead = part.bytesRead;
      for (const piece of splitter.push(part.text)) {
        documents.push(parsePiece(piece));
        characters += piece.text.length;
        if (documents.length >= BATCH_DOCUMENTS_MAX || characters >= BATCH_CHARACTERS_MAX) yield take();
      }
    }
    splitter.finish();
  } catch (error) {
    if (signal.aborted) throw error;
    failure = error;
  }
  if (documents.length > 0) yield take();
  if (failure !== undefined) throw failure;
}
