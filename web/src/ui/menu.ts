/** Classes of menus and their items. */
export const menuClass = 'pop z-50 min-w-40 rounded-lg border border-line bg-raised p-1 shadow-pop outline-none'
export const menuItemClass =
  'flex h-8 select-none items-center gap-2 rounded-md px-2 text-sm outline-none data-[disabled]:pointer-events-none data-[disabled]:opacity-40 data-[highlighted]:bg-hover'
