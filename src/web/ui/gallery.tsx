import { type Routes, createRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { CheckBox, FileInput, type FormState, Input, Select, TextArea } from './controls.tsx';
import { CopyableField, CopyableText } from './copyable.tsx';
import { Icon, iconNames } from './icons.tsx';
import { DayPresets, endPresets } from './day-presets.tsx';
import { Empty } from './empty.tsx';
import { Layout, Notice } from './layout.tsx';
import { createPages } from './page.ts';
import { Table } from './table.tsx';

/** Every component in every state, for developers: only where NODE_ENV is `development`. */
export function galleryPage(services: Services): Routes {
  const routes = createRoutes();
  const pages = createPages(services);
  if (services.config.isDevelopment) routes.get('stranger', '/ui', (ctx) => pages.show(ctx, GalleryView, {}));
  return routes;
}

const form: FormState = {
  values: { text: 'Menu', wrong: 'example', color: '#08705c', choice: 'b', area: 'Two\nlines', box: 'on' },
  errors: [{ field: 'wrong', message: 'This is not a web address. Try example.com/menu' }],
  saved: { changed: 'Another name' },
};

function GalleryView() {
  return (
    <Layout title="Components">
      <h1>Components</h1>
      <Buttons />
      <div class="columns">
        <Controls />
        <div>
          <Choices />
          <Messages />
        </div>
      </div>
      <Lists />
      <Empty title="Nothing here yet">
        <p>What the list is for, in one sentence.</p>
        <button type="button">The next step</button>
      </Empty>
      <section class="card">
        <h2>Icons</h2>
        <p class="row">
          {iconNames.map((name) => (
            <span key={name} class="badge">
              <Icon name={name} />
              {name}
            </span>
          ))}
        </p>
      </section>
    </Layout>
  );
}

function Buttons() {
  return (
    <section class="card">
      <h2>Buttons</h2>
      {[false, true].map((isDisabled) => (
        <p key={String(isDisabled)} class="row">
          {['', 'quiet', 'ghost', 'danger', 'quiet danger', 'ghost danger'].map((look) => (
            <button key={look} type="button" class={look} disabled={isDisabled}>
              <Icon name="plus" />
              {look || 'primary'}
            </button>
          ))}
          <button type="button" class="quiet icon-only" aria-label="Icon only" disabled={isDisabled}>
            <Icon name="ellipsis" />
          </button>
        </p>
      ))}
    </section>
  );
}

function Controls() {
  return (
    <section class="card">
      <h2>Controls</h2>
      <Input form={form} name="text" label="Text" hint="A hint below the field." />
      <Input form={form} name="empty" label="With a placeholder" placeholder="example.com/menu" />
      <Input form={form} name="wrong" label="With an error" />
      <Input form={form} name="changed" label="Changed elsewhere" />
      <Input form={form} name="day" label="Day" type="date" />
      <DayPresets label="Day" names={['day']} presets={endPresets} />
      <Input form={form} name="color" label="Color" type="color" />
      <Select
        form={form}
        name="choice"
        label="Choice"
        choices={[
          ['a', 'First'],
          ['b', 'Second'],
        ]}
      />
      <TextArea form={form} name="area" label="Several lines" />
      <CheckBox form={form} name="box" label="A box to check" />
      <FileInput
        form={form}
        name="file"
        crops="free"
        label="File"
        accept="image/png"
        hint="PNG, up to 1 MB."
      />
      <CopyableField
        id="ui-link"
        label="To copy"
        value="https://qr.example/r/54c8e83604"
        button="Copy"
        quiet
      />
      <CopyableText id="ui-command" label="Copy the command" text="npm start" />
    </section>
  );
}

function Choices() {
  return (
    <section class="card">
      <h2>Choices</h2>
      <p>
        <span class="segments">
          {['7 days', '30 days', '90 days'].map((name, index) => (
            <a key={name} href="/ui" aria-current={index === 1 ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </span>
      </p>
      <fieldset class="tiles">
        <legend class="unseen">Shape</legend>
        {['Square', 'Round', 'Dots'].map((name, index) => (
          <label key={name}>
            <input type="radio" name="ui-shape" checked={index === 1} />
            <Icon name="qr-code" />
            {name}
          </label>
        ))}
      </fieldset>
      <details class="menu">
        <summary class="quiet">
          Menu
          <Icon name="chevron-down" />
        </summary>
        <div>
          <a href="/ui">
            <Icon name="pencil" />
            Edit
          </a>
          <a class="danger" href="/ui">
            <Icon name="trash-2" />
            Delete
          </a>
        </div>
      </details>
      <p>
        <meter min="0" max="100" low={30} high={60} optimum={100} value={82} aria-label="Good" />
        <meter min="0" max="100" low={30} high={60} optimum={100} value={45} aria-label="Fair" />
        <meter min="0" max="100" low={30} high={60} optimum={100} value={15} aria-label="Poor" />
      </p>
      <div class="skeleton">&nbsp;</div>
    </section>
  );
}

function Messages() {
  return (
    <section class="card">
      <h2>Messages</h2>
      <Notice kind="good">Saved.</Notice>
      <Notice kind="bad">Not saved. Choose a day in the future.</Notice>
      <div class="notice warn">This code expires tomorrow.</div>
      <p class="row">
        <span class="badge">Private</span>
        <span class="badge good">Public</span>
        <span class="badge warn">Expires tomorrow</span>
        <span class="badge bad">Blocked</span>
      </p>
    </section>
  );
}

function Lists() {
  const rows = [
    { name: 'Menu', scans: 4_011 },
    { name: 'Guest Wi-Fi', scans: 2_559 },
  ];
  return (
    <section class="card">
      <h2>Table</h2>
      <Table
        caption="Codes"
        class="stacked"
        columns={[
          { name: 'Name', cell: ({ name }) => name },
          { name: 'Scans', cell: ({ scans }) => scans, isNumber: true },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </section>
  );
}
