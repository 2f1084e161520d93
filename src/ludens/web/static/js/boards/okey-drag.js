// Dragging with mouse, pen or finger: an element follows the pointer once it has moved far enough to be meant.

const MEANT = 6;

/**
 * Let `handle` be dragged. `begin()` gives the element that follows, or null if nothing can be dragged now; `over(x, y)`
 * is called on the way, `drop(x, y)` at the end and `cancel()` if it comes to nothing. A drag is no click.
 */
export function draggable(handle, { begin, over, drop, cancel }) {
  let drag = null;
  let dragged = false;

  handle.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.button !== 0 || drag) return;
    handle.setPointerCapture(event.pointerId); // a quick flick leaves the handle before it has moved once
    drag = { pointer: event.pointerId, x: event.clientX, y: event.clientY, carried: null };
  });

  handle.addEventListener("pointermove", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.carried) {
      if (Math.hypot(dx, dy) < MEANT) return;
      drag.carried = begin();
      if (!drag.carried) {
        drag = null;
        return;
      }
      drag.carried.classList.add("okey-carried");
      dragged = true;
    }
    drag.carried.style.setProperty("--dx", `${dx}px`);
    drag.carried.style.setProperty("--dy", `${dy}px`);
    over(event.clientX, event.clientY);
  });

  const finish = (event) => {
    if (drag?.pointer !== event.pointerId) return;
    const { carried } = drag;
    drag = null;
    if (!carried) return;
    if (event.type === "pointerup") drop(event.clientX, event.clientY);
    else cancel();
  };
  handle.addEventListener("pointerup", finish);
  handle.addEventListener("pointercancel", finish);
  handle.addEventListener("lostpointercapture", finish);
  handle.addEventListener("dragstart", (event) => event.preventDefault());
  handle.addEventListener(
    "click",
    (event) => {
      if (!dragged) return;
      dragged = false;
      event.stopImmediatePropagation();
      event.preventDefault();
    },
    true,
  );
}

/** Put down what was carried, where it belongs. */
export function letGo(carried) {
  carried.classList.remove("okey-carried");
  carried.style.removeProperty("--dx");
  carried.style.removeProperty("--dy");
}

/** Whether a point lies in an element. */
export function isOver(element, x, y) {
  const box = element.getBoundingClientRect();
  return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
}
