/** The page's markup as one string to compare; only for nodes without components. */
import type { ComponentChildren, VNode } from 'preact';

/** @returns markup with the attributes a reader or a browser acts on */
export function pageMarkup(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(pageMarkup).join('');
  if (children === null || children === undefined || typeof children === 'boolean') return '';
  if (typeof children !== 'object') return String(children);
  const { type, props } = children as VNode<Readonly<Record<string, unknown>>>;
  const shown = ['href', 'target', 'rel', 'src'].filter((name) => props[name] !== undefined);
  const attributes = shown.map((name) => ` ${name}="${String(props[name])}"`).join('');
  return `<${String(type)}${attributes}>${pageMarkup(props.children)}</${String(type)}>`;
}
