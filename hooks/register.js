// Shows what hooks/run says and hands on what the user does. All words and all facts are Python's; nothing waits for it.

const LINKS = 500; // words that one chain can prove
const PANE = 'bg';

const secret = crypto.getRandomValues(new Uint8Array(32));

let used = 0;
let isOn = false;
let isOffered = false; // the command that runs in mid-turn
let band = null;
let pane = null; // null while it is closed
let columns = 0; // of its body, as it was drawn last
let isWorking = false;
let looking = null;
let last = Promise.resolve();
let seen = [];

async function linked(from, times) {
  let bytes = from;
  for (let left = times; left > 0; left -= 1) bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Nobody else knows the next link of the chain, which is used once; a module that is loaded anew has another chain.
async function proof() {
  used += 1;
  if (used >= LINKS) isOn = false;
  return { used, link: await linked(secret, LINKS - used) };
}

async function run($, did, more) {
  let env = {};
  try { env = await $.process.hookEnv(); } catch { /* from 2.1.327 on */ }
  try {
    const event = { hook_event_name: 'Mod', did, session_id: await $.session.id(), cwd: await $.session.cwd(), ...more };
    const told = { stdin: JSON.stringify(event), env: { ...env, BG_MODULE: '1' } };
    const { stdout } = await $.process.run(['sh', `${$.plugin.root}/hooks/run`], told);
    return stdout.trim() ? JSON.parse(stdout) : {};
  } catch (error) {
    $.ui.log(`bg: ${error}`, { to: 'debug' });
    return {};
  }
}

// One after the other, so that each link comes after the one before.
function tell($, did, more) {
  last = last.then(() => run($, did, { ...more, busy: isWorking, offered: isOffered, ...(pane && { columns }) }));
  return last;
}

async function act($, reply) {
  if (reply.band !== undefined) band = reply.band;
  if (pane && reply.pane) pane = reply.pane;
  if (reply.band !== undefined || reply.pane) $.ui.invalidate('ui.render');
  if (reply.toast) $.ui.toast(reply.toast);
  if (reply.log) $.ui.log(reply.log);
  if (reply.fill) await $.prompt.fill({ text: reply.fill });
  for (const one of reply.wake ?? []) await wake($, one);
  if (reply.say) $.clock.after(1, () => { say($, reply.say); });
  if (reply.ask) $.clock.after(1, () => { ask($, reply.ask); });
}

async function wake($, one) {
  let sent = {};
  try { sent = await $.session.send({ to: { agentId: one.agent }, text: one.text }); } catch (error) { sent = { reason: `${error}` }; }
  if (sent.isDelivered) look($);
  else await act($, await tell($, 'refused', { label: one.label, reason: sent.reason }));
}

async function say($, text) {
  try { await $.prompt.submit({ text }); } catch (error) { $.ui.log(`bg: ${error}`, { to: 'debug' }); }
}

async function ask($, one) {
  let words = '';
  try {
    words = await $.ui.ask(one.question, { header: one.header, options: one.options });
  } catch {
    return; // dismissed: it stays open, and so do the others
  }
  seen.push(one.id);
  await act($, await tell($, 'chose', { item: one.id, words, seen, proof: await proof() }));
}

async function pressed($) {
  seen = [];
  await act($, await tell($, 'key', { seen }));
}

// What is typed as a command, or in the pane; undefined where the command's own hook is to carry it out.
async function typed($, command, words) {
  seen = [];
  const reply = await tell($, 'typed', { command, words, proof: command === 'bg-status' ? null : await proof() });
  await act($, reply);
  return reply;
}

async function served($, e, next) {
  if (!isOn || e.origin.kind !== 'composer') return next(e);
  if (e.command === 'reply' && !e.args.trim()) return open($);
  const { text, only } = await typed($, e.command.replace('bg:', ''), e.args);
  if (text === undefined) return next(e);
  return only ? { text, isTextDisplayOnly: true } : { text };
}

// Placed in any window only if nothing is awaited between the user's own key or command and this.
async function open($) {
  pane = { lines: [] };
  try {
    await $.ui.open({ id: PANE, title: PANE, focus: true, closeOnEscape: true, rows: 14, columns: 80 });
  } catch (error) {
    pane = null;
    $.ui.log(`bg: ${error}`, { to: 'debug' });
  }
  await refresh($);
  return {};
}

async function submitted($, words) {
  const { text, toast } = await typed($, 'reply', words);
  if (text && !toast) $.ui.toast(text);
}

function look($) {
  if (!isOn) return;
  if (looking) looking.cancel();
  looking = $.clock.after(400, () => {
    looking = null;
    refresh($);
  });
}

async function refresh($) {
  await act($, await tell($, pane ? 'table' : 'look', {}));
}

async function offer($, command) {
  try {
    await $.command.register({ ...command, immediate: true });
    isOffered = true;
  } catch (error) {
    $.ui.log(`bg: ${error}`, { to: 'debug' });
  }
}

async function begin($) {
  const reply = await tell($, 'begin', { commitment: await linked(secret, LINKS) });
  isOn = reply.on === true;
  if (isOn) await offer($, reply.command);
  look($);
}

export function register(on) {
  on('session.start', async ($, e, next) => {
    const started = await next(e);
    if (e.isInteractive) await begin($);
    return started;
  });
  on('turn.complete', async ($, e, next) => {
    look($);
    return next(e);
  });
  on('agent.spawn', async ($, e, next) => {
    const spawned = await next(e);
    look($);
    return spawned;
  }).catch(($, e, next) => next(e));
  on('command.run', { command: 'reply' }, ($, e, next) => served($, e, next));
  on('command.run', { command: ['bg-answer', 'bg:bg-answer', 'bg-status', 'bg:bg-status'] }, ($, e, next) => served($, e, next));
  on('ui.close', async ($, e, next) => {
    const closed = await next(e);
    if (e.id === PANE) pane = null;
    return closed;
  });
  on('ui.render', { component: 'Pane' }, async ($, e, next) => {
    if (!pane || e.requestId !== PANE) return next(e);
    if (columns !== e.props.bodyColumns) {
      columns = e.props.bodyColumns;
      look($);
    }
    const { Box, Text, Input } = $.ui.resolve(e);
    const field = Input({ key: 'words', label: pane.label, placeholder: pane.hint, autoFocus: true, onSubmit: (words) => { $.clock.after(1, () => { submitted($, words); }); } });
    return Box({ flexDirection: 'column', children: [field, ...pane.lines.map((line) => Text({ wrap: 'truncate-end', children: [line || ' '] }))] });
  });
  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const theirs = await next(e);
    isWorking = e.props.isWorking;
    if (!band || !isOn) return theirs;
    const { Box, Text, Button } = $.ui.resolve(e);
    const row = [
      Box({ flexShrink: 0, children: [Text({ children: [band.counts] })] }),
      Text({ wrap: 'truncate-end', dimColor: true, children: [band.words] }),
    ];
    const button = band.key && Button({ key: 'answer', label: band.key, hotkey: '1', plain: true, onPress: () => { $.clock.after(1, () => { pressed($); }); } });
    if (button) row.push(Box({ flexShrink: 0, children: [button] }));
    row.push(Box({ flexShrink: 0, children: [Button({ key: 'tasks', label: band.table, hotkey: '2', plain: true, onPress: () => { open($); } })] }));
    return Box({ flexDirection: 'column', children: [theirs, Box({ flexDirection: 'row', columnGap: 3, children: row })] });
  });
}
