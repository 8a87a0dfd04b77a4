/** Classes of tables. A table that does not fit scrolls horizontally within its frame. */
export const tableFrame = 'relative -mx-5 overflow-x-auto px-5'
export const tableClass =
  'w-full border-collapse text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-2 [&_td]:pr-4 [&_td]:align-middle [&_td:last-child]:pr-0 [&_th]:pb-2 [&_th]:pr-4 [&_th]:text-xs [&_th]:font-medium [&_th]:whitespace-nowrap [&_th]:text-faint [&_th:last-child]:pr-0'
