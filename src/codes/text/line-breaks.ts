import { LineBreaker } from 'css-line-break';

/** A position at which a line may end. */
export interface LineBreak {
  /** Offset in the text. */
  at: number;
  /** Inside a word: a hyphen is shown at the end of the line. */
  isHyphenated: boolean;
}

const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und');

/** Scripts without spaces between words, which only a dictionary can separate. */
const unspaced = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Korean words are split only if nothing else helps, although the algorithm allows it. */
const isInHangul = (text: string, at: number) =>
  /\p{sc=Hang}/u.test(text.charAt(at - 1)) && /\p{sc=Hang}/u.test(text.charAt(at));

/** By the Unicode Line Breaking Algorithm: after spaces and hyphens, between ideographs, and so on. */
export function wordBreaks(text: string): LineBreak[] {
  const breaks = new Set<number>();
  const breaker = LineBreaker(text, { lineBreak: 'strict' });
  let at = 0;
  for (let next = breaker.next(); !next.done; next = breaker.next())
    breaks.add((at += next.value.slice().length));
  if (unspaced.test(text)) {
    let before = '';
    for (const { segment, index } of words.segment(text)) {
      if (unspaced.test(before) && unspaced.test(segment)) breaks.add(index);
      before = segment;
    }
  }
  return [...breaks]
    .filter((offset) => !isInHangul(text, offset))
    .toSorted((one, other) => one - other)
    .map((offset) => ({ at: offset, isHyphenated: false }));
}

/** Where a word may be split if nothing else helps. */
export function graphemeBreaks(text: string): LineBreak[] {
  return [...graphemes.segment(text)].map(({ segment, index }) => ({
    at: index + segment.length,
    isHyphenated: false,
  }));
}

const word = /[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{M}]+/gu;
/** In an address or a number, a hyphen could be taken for one of its own. */
const unhyphenated = /[@/:_\d]|\.[^.]/u;
/** Letters without their accents. */
const vowel = /[aeiouyæœøıəαεηιουωаеиоуыэюяієѣ]/;
/** Consonants that begin a syllable together. */
const onset = /^(?:[bcdfgkptv][lr]|[cgkprstwz]h|sch|sk|sp|st|qu|[бвгдкпт][лр]|[βγδθκπτφχ][λρ])$/;
/** Fewer letters are not left alone on a line. */
const minLetters = 3;

/**
 * Between syllables, by rules that hold in most languages: the language of a name is not known. A consonant belongs to the
 * vowel that follows it, and of several only the last one does, or the last ones if they often begin a syllable.
 */
export function syllableBreaks(text: string): LineBreak[] {
  const breaks = graphemeBreaks(text).filter(({ at }) => isInHangul(text, at));
  for (const { 0: part, index: partStart } of text.matchAll(/[^\s\p{Pd}]+/gu)) {
    if (unhyphenated.test(part)) continue;
    for (const { 0: found, index: wordStart } of part.matchAll(word)) {
      const segments = [...graphemes.segment(found)];
      const letters = segments.map(({ segment }) => segment.normalize('NFD').charAt(0).toLowerCase());
      for (const position of syllableStarts(letters)) {
        const at = partStart + wordStart + (segments[position]?.index ?? 0);
        if (position >= minLetters && letters.length - position >= minLetters)
          breaks.push({ at, isHyphenated: true });
      }
    }
  }
  return breaks;
}

/** Consonants at the ends of a word are no syllables. */
function syllableStarts(letters: string[]): number[] {
  const starts: number[] = [];
  let afterVowel = -1;
  for (const [position, letter] of letters.entries()) {
    if (!vowel.test(letter)) continue;
    const consonants = letters.slice(afterVowel, position).join('');
    if (afterVowel >= 0 && consonants !== '') {
      const length = [3, 2].find(
        (count) => onset.test(consonants.slice(-count)) && consonants.length >= count,
      );
      starts.push(position - (length ?? 1));
    }
    afterVowel = position + 1;
  }
  return starts;
}
