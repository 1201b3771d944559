/** Starts the page. */
import { html } from 'htm/preact';
import { render } from 'preact';
import { App } from './view/app.ts';

const root = document.getElementById('app');
if (root) render(html`<${App} />`, root);
