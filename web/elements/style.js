import { css } from 'lit'

/** @type {unknown} */
export const sharedStyle = css`
  :host {
    display: block;
    box-sizing: border-box;
    min-inline-size: 0;
    max-inline-size: 100%;
    color: var(--qkv-ink, CanvasText);
    font: 400 0.8125rem/1.4 var(--qkv-font, system-ui, sans-serif);
    font-variant-numeric: tabular-nums;
  }
  :host([hidden]) {
    display: none;
  }
  .size {
    position: relative;
    max-inline-size: 100%;
  }
  canvas {
    display: block;
  }
  .probe {
    position: absolute;
    visibility: hidden;
    inline-size: 0;
    block-size: 0;
    color: CanvasText;
    border-color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
    outline-color: var(--qkv-rule, light-dark(#d4d4ce, #393c41));
    background-color: var(--qkv-paper, Canvas);
    text-decoration-color: var(--qkv-mark, CanvasText);
    column-rule-color: var(--qkv-ink, CanvasText);
    transition: color 1ms, background-color 1ms, border-color 1ms, column-rule-color 1ms;
  }
  .quiet,
  .problem {
    margin: 0;
    color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
  }
  .problem {
    padding: 0.5rem 0.75rem;
    border-inline-start: 3px solid var(--qkv-problem, light-dark(#a3260d, #ff9a80));
    color: var(--qkv-problem, light-dark(#a3260d, #ff9a80));
    overflow-wrap: anywhere;
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
    margin-block-start: 0.25rem;
  }
  button {
    font: inherit;
    color: inherit;
  }
  .tools button,
  [role='tab'] {
    min-block-size: 1.75rem;
    padding: 0 0.5rem;
    border: 1px solid transparent;
    border-radius: 4px;
    background: none;
    color: var(--qkv-quiet, light-dark(#5b5f64, #a7abb0));
    cursor: pointer;
  }
  .tools button {
    min-inline-size: 1.75rem;
    font-size: 0.75rem;
  }
  .tools .labels {
    align-self: center;
    font-size: 0.75rem;
  }
  .tools button:hover:not(:disabled) {
    border-color: currentColor;
  }
  .tools button:disabled {
    opacity: 0.45;
    cursor: default;
  }
  :focus-visible {
    outline: 2px solid var(--qkv-mark, CanvasText);
    outline-offset: 1px;
  }
  @media print {
    .tools {
      display: none;
    }
  }
`
