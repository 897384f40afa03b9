import type { VNode } from 'preact';
import { numberWarnings } from '../../../codes/content/number-warning.ts';
import { withoutCountryCode } from '../../../codes/content/phone-number.ts';
import type { CodeType } from '../../../codes/qr-code.ts';
import { type Caution, CheckBox, type FormState, Input, Select, TextArea } from '../../ui/controls.tsx';

const inputs: Record<CodeType, (of: FormState) => VNode> = {
  url: (of) => (
    <Input
      of={of}
      name="content"
      label="Web address"
      inputMode="url"
      hint="Where a scan leads, such as example.com/menu: https:// is added if you leave it out. You can change it after printing."
    />
  ),
  text: (of) => <TextArea of={of} name="content" label="Text" />,
  social: (of) => (
    <TextArea of={of} name="content" label="Links" hint="One per line, such as https://instagram.com/you." />
  ),
  wifi: (of) => (
    <>
      <Input of={of} name="networkName" label="Network name" />
      <Select
        of={of}
        name="security"
        label="Security"
        choices={[
          ['WPA', 'WPA, WPA2 or WPA3'],
          ['WEP', 'WEP'],
          ['none', 'None'],
        ]}
      />
      <Input of={of} name="password" label="Password" isSecret hint="Whoever scans the code can read it." />
      <CheckBox of={of} name="hidden" label="The network is hidden" />
    </>
  ),
  vcard: (of) => (
    <>
      <Input of={of} name="contactName" label="Full name" />
      <Input of={of} name="organization" label="Organization (optional)" />
      <Input of={of} name="phone" label="Phone (optional)" inputMode="tel" caution={abroad('vcard')} />
      <Input of={of} name="email" label="Email (optional)" inputMode="email" />
      <Input of={of} name="website" label="Website (optional)" inputMode="url" />
    </>
  ),
  email: (of) => (
    <>
      <Input of={of} name="to" label="To" inputMode="email" hint="Put commas between several addresses." />
      <Input of={of} name="subject" label="Subject (optional)" />
      <TextArea of={of} name="body" label="Message (optional)" />
    </>
  ),
  phone: (of) => <NumberInput of={of} caution={abroad('phone')} />,
  sms: (of) => <NumberAndMessage of={of} caution={abroad('sms')} />,
  // Without the country code it is refused.
  whatsapp: (of) => <NumberAndMessage of={of} />,
  geo: (of) => (
    <>
      <Input
        of={of}
        name="place"
        label="Coordinates or map link"
        hint="Such as 51.5007, -0.1246, or a link copied from Google Maps, Apple Maps or OpenStreetMap."
      />
      <Input of={of} name="label" label="Name of the place (optional)" />
    </>
  ),
};

/** Said of a number without its country code. */
function abroad(type: keyof typeof numberWarnings): Caution {
  return { text: numberWarnings[type], pattern: withoutCountryCode };
}

interface NumberProps {
  of: FormState;
  caution?: Caution;
}

function NumberInput({ of, caution }: NumberProps) {
  return (
    <Input
      of={of}
      name="number"
      label="Number"
      inputMode="tel"
      hint="With the country code, such as +44 …"
      caution={caution}
    />
  );
}

function NumberAndMessage(props: NumberProps) {
  const { of } = props;
  return (
    <>
      <NumberInput {...props} />
      <TextArea of={of} name="message" label="Message (optional)" />
    </>
  );
}

/** The fields of a type; or the content as it is stored, where they could not hold all of it. */
export function ContentInputs({ type, isRaw, of }: { type: CodeType; isRaw: boolean; of: FormState }) {
  if (!isRaw) return inputs[type](of);
  return (
    <TextArea
      of={of}
      name="content"
      label="Content"
      rows={8}
      isSecret={type === 'wifi'}
      hint="Shown as it is stored: it holds more than a form could show."
    />
  );
}
