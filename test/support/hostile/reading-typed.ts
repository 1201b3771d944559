/** Rows of `reading-functions.ts` for what people type. */
import { hasTypedSecret, mayRepeat, readArguments, splitLine } from '../../../src/bot/commands/framework/parse.ts';
import * as typedWords from '../../../src/bot/commands/lookup/typed-words.ts';
import * as points from '../../../src/bot/domain/point-in-time.ts';
import * as windows from '../../../src/bot/domain/window.ts';
import * as windowWords from '../../../src/bot/domain/window-words.ts';
import type { Row } from './reading-functions.ts';

const numbers = 'reads numbers alone';

export const readingTyped: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'src/bot/domain/window.ts': {
    resolveWindow: { text: (text) => windows.resolveWindow({ ...windowWords.lastDay, label: text }, 0, text) },
    windowBefore: numbers,
    answeredWindow: numbers,
    spelledWindow: numbers,
    isSpelledOut: { text: (text) => windows.isSpelledOut({ from: 0, to: 1, label: text, isMoving: true }) },
    isRolling: { text: (text) => windows.isRolling({ from: 0, to: 1, label: text, isMoving: true }) },
  },
  'src/bot/domain/window-words.ts': {
    plainWord: { text: windowWords.plainWord },
    parseWindow: {
      text: (text) => [text, text.slice(0, 79), `2026-11-20T${text.slice(0, 60)}`].map(windowWords.parseWindow),
    },
  },
  'src/bot/domain/point-in-time.ts': {
    midnight: 'reads numbers alone',
    WindowProblem: 'is an error',
    readPoint: { text: (text) => [points.readPoint(text), points.readPoint(`${text.slice(0, 60)} 10:00`)] },
    spanOf: 'reads what readPoint made',
    refuseZone: 'throws',
  },
  'src/bot/commands/lookup/typed-words.ts': {
    isCourtesy: { text: (text) => typedWords.isCourtesy(text.split(' ')) },
    isFiller: { text: typedWords.isFiller },
    isNameless: { text: (text) => typedWords.isNameless(text.split(' ')) },
    readTyped: { text: typedWords.readTyped },
    readBeside: { text: (text) => typedWords.readBeside(text.split(' ')) },
  },
  'src/bot/commands/framework/parse.ts': {
    splitLine: { text: splitLine },
    readArguments: {
      text: (text) =>
        readArguments(
          [text, `--page=${text}`, text],
          new Map([
            ['text', 'value'],
            ['page', 'value'],
            ['window', 'value'],
          ]),
        ),
    },
    hasTypedSecret: { text: (text) => hasTypedSecret(text.split(' ')) },
    mayRepeat: { text: mayRepeat },
  },
};
