import { css } from 'lit'

/** @type {unknown} */
export const heatmapStyle = css`
  :host {
    inline-size: max-content;
  }
  .map {
    position: relative;
    overflow: hidden;
    cursor: crosshair;
    touch-action: pan-x pan-y;
    user-select: none;
    -webkit-user-select: none;
  }
  .map[data-mode='paint'],
  .map[data-zoomed] {
    touch-action: none;
  }
  .map[data-editable] {
    cursor: ns-resize;
  }
  /* The handle by which a finger drags the number of the selected cell. */
  .handle {
    position: absolute;
    inline-size: 44px;
    block-size: 44px;
    translate: -50% -50%;
    border: 2px solid var(--qkv-mark, CanvasText);
    border-radius: 50%;
    touch-action: none;
  }
  @media (pointer: fine) {
    .handle {
      display: none;
    }
  }
  .map:focus-visible {
    outline-offset: 0;
  }
  input {
    position: absolute;
    box-sizing: border-box;
    inline-size: 6rem;
    min-block-size: 1.5rem;
    padding: 0 0.25rem;
    border: 2px solid var(--qkv-mark, CanvasText);
    border-radius: 3px;
    background: var(--qkv-paper, Canvas);
    color: inherit;
    font: inherit;
    text-align: center;
  }
  .table {
    overflow: auto;
    max-block-size: 32rem;
  }
  table {
    border-collapse: collapse;
  }
  caption {
    padding: 0.25rem 0;
    text-align: start;
  }
  th,
  td {
    padding: 0.125rem 0.5rem;
    border: 1px solid var(--qkv-rule, light-dark(#d4d4ce, #393c41));
    text-align: end;
    white-space: nowrap;
  }
  th {
    max-inline-size: 12rem;
    overflow: hidden;
    text-overflow: ellipsis;
    font-weight: 500;
  }
`
