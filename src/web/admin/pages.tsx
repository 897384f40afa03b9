interface PagesProps {
  firstPage?: string | undefined;
  nextPage?: string | undefined;
}

/** Links between the pages of a list. */
export function Pages({ firstPage, nextPage }: PagesProps) {
  if (!firstPage && !nextPage) return null;
  return (
    <nav class="row" aria-label="Pages">
      {firstPage && (
        <a class="button quiet" href={firstPage}>
          First page
        </a>
      )}
      {nextPage && (
        <a class="button quiet" href={nextPage}>
          Next page
        </a>
      )}
    </nav>
  );
}
