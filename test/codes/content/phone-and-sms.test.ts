import { hostileRows, parsesEach } from './parses-each.ts';

const phone = (number: string, href: string) => ({ kind: 'phone', number, href }) as const;
const sms = (number: string, body: string, href: string) => ({ kind: 'sms', number, body, href }) as const;

describe('the content of a phone code', () => {
  parsesEach('phone', [
    ['is a bare number', '+15551234', phone('+15551234', 'tel:+15551234')],
    ['is a tel address', 'tel:+15551234', phone('+15551234', 'tel:+15551234')],
    ['is a tel address in capitals', 'TEL:5551234\n', phone('5551234', 'tel:5551234')],
    ['is a tel address with its plus encoded', 'tel:%2B15551234', phone('+15551234', 'tel:+15551234')],
    [
      'is shown as written and dialed without separators',
      ' +1 (555) 12.34-56/7 ',
      phone('+1 (555) 12.34-56/7', 'tel:+15551234567'),
    ],
    ['leaves out the zero in brackets', '+49 (0) 30 123', phone('+49 (0) 30 123', 'tel:+4930123')],
    ['loses the marks of direction', '\u202a+1 555\u202c', phone('+1 555', 'tel:+1555')],
    ['may be an emergency number', '112', phone('112', 'tel:112')],
    ['keeps star and hash, the hash encoded', '*100#', phone('*100#', 'tel:*100%23')],
    ['keeps pauses', '+15551234,,42#', phone('+15551234,,42#', 'tel:+15551234,,42%23')],
    ['keeps a wait', '+15551234;42', phone('+15551234;42', 'tel:+15551234;42')],
    ['keeps an extension', 'tel:+1-555-1234;ext=42', phone('+1-555-1234;ext=42', 'tel:+15551234;ext=42')],
    ['understands a written extension', '555-1234 ext. 42', phone('555-1234 ext. 42', 'tel:5551234;ext=42')],
    ['understands an x for an extension', '555-1234x42', phone('555-1234x42', 'tel:5551234;ext=42')],
    [
      'leaves out other parameters',
      'tel:5551234;phone-context=+1',
      phone('5551234;phone-context=+1', 'tel:5551234'),
    ],
    ['dials letters as the keypad has them', '1-800-FLOWERS', phone('1-800-FLOWERS', 'tel:18003569377')],
    ['is text where letters are no keypad word', '1-800-flowers', 'text'],
    ['is text where two numbers are given', '030 1234, 030 5678', 'text'],
    ['is text where two numbers are on two lines', '5551234\n5555678', 'text'],
    ['is text where a word is given', 'call me', 'text'],
    ['is text where there is one digit only', 'tel:1', 'text'],
    ['is text where there are no digits', '+**##', 'text'],
    ['is text where the number never ends', '1'.repeat(2048), 'text'],
    ['is text where a plus is inside', '555+1234', 'text'],
    ['is text where markup follows', 'tel:555"><script>', 'text'],
    ['is text where a line break is encoded', 'tel:555%0d%0a666', 'text'],
    ['is text where digits are of another script', '٠١٢٣٤٥', 'text'],
    ...hostileRows,
  ]);
});

describe('the content of an sms code', () => {
  parsesEach('sms', [
    ['is a bare number', '+1 555 1234', sms('+1 555 1234', '', 'sms:+15551234')],
    ['is a short code', '12345', sms('12345', '', 'sms:12345')],
    ['is an sms address', 'sms:+15551234?body=Hi', sms('+15551234', 'Hi', 'sms:+15551234?&body=Hi')],
    [
      'is an sms address with slashes',
      'sms://+15551234?body=Hi',
      sms('+15551234', 'Hi', 'sms:+15551234?&body=Hi'),
    ],
    [
      'is an sms address as old iPhones had it',
      'sms:+15551234;?&body=Hi',
      sms('+15551234', 'Hi', 'sms:+15551234?&body=Hi'),
    ],
    [
      'is an sms address with only an ampersand',
      'sms:+15551234&body=Hi',
      sms('+15551234', 'Hi', 'sms:+15551234?&body=Hi'),
    ],
    [
      'is an sms address with only a semicolon',
      'sms:+15551234;body=Hi',
      sms('+15551234', 'Hi', 'sms:+15551234?&body=Hi'),
    ],
    [
      'is the form of older phones',
      'SMSTO:+15551234:Hello: you?',
      sms('+15551234', 'Hello: you?', 'sms:+15551234?&body=Hello%3A%20you%3F'),
    ],
    [
      'is the form of older phones without a message',
      'smsto:+15551234',
      sms('+15551234', '', 'sms:+15551234'),
    ],
    ['is a multimedia address', 'MMSTO:+15551234:Hi', sms('+15551234', 'Hi', 'sms:+15551234?&body=Hi')],
    [
      'may have several recipients',
      'sms:+15551234,+15556789?body=Hi',
      sms('+15551234, +15556789', 'Hi', 'sms:+15551234,+15556789?&body=Hi'),
    ],
    [
      'may have recipients with semicolons',
      'smsto:5551234;5556789:Hi',
      sms('5551234, 5556789', 'Hi', 'sms:5551234,5556789?&body=Hi'),
    ],
    ['may have no recipient where it has a message', 'sms:?body=Hi', sms('', 'Hi', 'sms:?&body=Hi')],
    [
      'decodes the message, a plus being a plus',
      'sms:555?body=1+1%3D2%20%C3%A4',
      sms('555', '1+1=2 ä', 'sms:555?&body=1%2B1%3D2%20%C3%A4'),
    ],
    [
      'keeps a percent sign that encodes nothing',
      'sms:555?body=100%25%20or%20100%',
      sms('555', '100% or 100%', 'sms:555?&body=100%25%20or%20100%25'),
    ],
    ['keeps line breaks of the message', 'SMSTO:555:a\r\nb', sms('555', 'a\nb', 'sms:555?&body=a%0D%0Ab')],
    [
      'encodes markup in the message',
      'SMSTO:555:<b>"\'',
      sms('555', '<b>"\'', 'sms:555?&body=%3Cb%3E%22%27'),
    ],
    [
      'keeps emoji and right-to-left words',
      'SMSTO:555:🎉 שלום',
      sms('555', '🎉 שלום', 'sms:555?&body=%F0%9F%8E%89%20%D7%A9%D7%9C%D7%95%D7%9D'),
    ],
    ['ignores other fields', 'sms:555?x=1&BODY=Hi&y=2', sms('555', 'Hi', 'sms:555?&body=Hi')],
    ['is text where a recipient is no number', 'sms:bob?body=Hi', 'text'],
    ['is text where one of two recipients is no number', 'sms:555,bob', 'text'],
    ['is text where nothing is said to nobody', 'sms:', 'text'],
    ['is text where it is the time of day', '12:30', 'text'],
    ['is text where markup is in the number', 'sms:555"><script>:x', 'text'],
    ...hostileRows,
  ]);
});
