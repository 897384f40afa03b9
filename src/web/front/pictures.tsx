import { Icon } from '../ui/icons.tsx';

/** A drawing that stands for a code where none can be scanned, on a grid of 15 modules. */
function MiniCode() {
  return (
    <svg class="mini" viewBox="0 0 15 15" aria-hidden="true">
      <use href="#mini-code" />
    </svg>
  );
}

/** Once on a page with such drawings. */
export function MiniCodeShape() {
  return (
    <svg width="0" height="0" aria-hidden="true" class="mini-shape">
      <symbol id="mini-code" viewBox="0 0 15 15">
        <path
          fill-rule="evenodd"
          d="M1 0h3a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H1a1 1 0 0 1-1-1V1a1 1 0 0 1 1-1zm0 1v3h3V1zm10-1h3a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1V1a1 1 0 0 1 1-1zm0 1v3h3V1zM1 10h3a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H1a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1zm0 1v3h3v-3z"
        />
        <path d="M2 2h1v1H2zM12 2h1v1h-1zM2 12h1v1H2zM6 0h1v2H6zM8 1h1v2H8zM6 4h2v1H6zM0 6h2v1H0zM3 7h2v1H3zM6 6h3v3H6zM10 6h1v2h-1zM12 7h3v1h-3zM7 10h1v2H7zM9 11h2v1H9zM12 10h2v1h-2zM14 12h1v2h-1zM6 13h2v1H6zM10 14h3v1h-3zM9 9h2v1H9zM0 8h1v1H0z" />
      </symbol>
    </svg>
  );
}

const destinations: [when: string, address: string, isNow: boolean][] = [
  ['March', 'example.com/spring-menu', false],
  ['June', 'example.com/terrace', false],
  ['Now', 'example.com/winter-menu', true],
];

/** One print, three destinations. */
export function DynamicPicture() {
  return (
    <div class="dynamic" aria-hidden="true">
      <div class="dynamic-print">
        <MiniCode />
        <span>Printed once</span>
      </div>
      <ul>
        {destinations.map(([when, address, isNow]) => (
          <li key={when} class={isNow ? 'now' : undefined}>
            <span>{when}</span>
            <b>{address}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A file that is replaced. */
export function FilePicture() {
  return (
    <div class="files" aria-hidden="true">
      <div class="file-code">
        <MiniCode />
      </div>
      <p class="file-old">
        <Icon name="file-text" />
        menu-summer.pdf
      </p>
      <p class="file-new">
        <Icon name="file-text" />
        menu-winter.pdf
        <Icon name="circle-check" class="done" />
      </p>
    </div>
  );
}

const labels = 8;

/** A sheet of labels, a table tent and a sticker. */
export function PrintPicture() {
  return (
    <div class="prints" aria-hidden="true">
      <div class="sheet">
        {Array.from({ length: labels }, (_, index) => (
          <MiniCode key={index} />
        ))}
      </div>
      <div class="stand">
        <span>Menu</span>
        <MiniCode />
      </div>
      <div class="sticker">
        <MiniCode />
      </div>
    </div>
  );
}
