import { expect, mock, test } from 'claude-code/testing'

const ASK = { id: 1, question: 'bg-1 Q1: CSV or JSON?', header: 'bg-1 Q1', options: ['CSV', 'JSON'] }
const BAND = { counts: '1 asks', words: 'bg-1: CSV or JSON?', key: 'answer', table: 'tasks' }
const COMMAND = { name: 'reply', description: 'Answer', argumentHint: 'bg-1 Q1: CSV' }
const SITE = { component: 'AbovePrompt', requestId: 'above-prompt', surface: 'terminal', plugin: 'bg' } as const

// Stands for the client and for hooks/run: what the module has handed over, and what it is told.
function world(on, answers) {
  const told = []
  on('process.run', ($, e) => {
    const event = JSON.parse(e.init.stdin)
    told.push(event)
    const said = answers[event.did]
    return { value: { exitCode: 0, stdout: said ? JSON.stringify(said) : '', stderr: '', isStdoutTruncated: false, isStderrTruncated: false } }
  })
  on('session.start', ($, e) => ({ cwd: e.cwd }))
  on('session.id', () => ({ value: 's1' }))
  on('session.cwd', () => ({ value: '/project' }))
  on('command.register', () => ({ value: undefined }))
  on('ui.log', ($, e) => { told.push({ did: 'log', text: JSON.stringify(e) }); return { value: undefined } })
  on('ui.toast', () => ({ value: undefined }))
  on('ui.invalidate', () => ({ value: undefined }))
  return { told, clock: mock.clock(on) }
}

const begin = ($, isInteractive = true) => $.session.start({ cwd: '/project', surface: isInteractive ? 'terminal' : null, isInteractive })

test('a session that nobody attends hears nothing of it', async ($, on) => {
  const { told } = world(on, {})
  await begin($, false)
  expect(told).toEqual([])
})

test('it commits itself once, and is silent where it is told to be', async ($, on) => {
  const { told, clock } = world(on, {})
  await begin($)
  await clock.advance(1000)
  expect(told.map(each => each.did)).toEqual(['begin'])
  expect(told[0].commitment).toMatch(/^[0-9a-f]{64}$/)
  const ui = await $.ui.mount({ ...SITE, props: { isWorking: false, hasSurvey: false, maxRows: 9, bodyColumns: 80, view: {}, scroll: { offset: 0, bodyRows: 9 } } })
  expect(await ui.find({ type: 'Button' })).toBeUndefined()
})

test('key, dialog and wake, in this order, each word with a link of its own', async ($, on) => {
  const sent = []
  const { told, clock } = world(on, {
    begin: { on: true, command: COMMAND }, look: { band: BAND }, key: { ask: ASK, band: BAND },
    chose: { toast: 'answered', wake: [{ agent: 'a1', label: 'bg-1', text: 'go' }], band: null },
  })
  on('tool.call', { tool: 'AskUserQuestion' }, ($, e) => {
    const [{ question }] = e.questions
    return { result: { questions: e.questions, answers: { [question]: 'JSON' } } }
  })
  on('session.send', ($, e) => { sent.push(e); return { isDelivered: true } })
  await begin($)
  await clock.advance(1000)
  const ui = await $.ui.mount({ ...SITE, props: { isWorking: true, hasSurvey: false, maxRows: 9, bodyColumns: 80, view: {}, scroll: { offset: 0, bodyRows: 9 } } })
  expect((await ui.find({ type: 'Button' }))?.props.hotkey).toBe('1')
  await ui.press({ key: 'answer' })
  for (let times = 0; times < 500 && told.length < 5; times += 1) await clock.advance(1000)
  expect(told.map(each => each.did)).toEqual(['begin', 'look', 'key', 'chose', 'look'])
  const chose = told[3]
  expect({ item: chose.item, words: chose.words, used: chose.proof.used, busy: chose.busy }).toEqual({ item: 1, words: 'JSON', used: 1, busy: true })
  expect(sent[0]?.to).toBe('a1')
})

test('what a person types is handed on with a link of its own, what anybody else runs is not', async ($, on) => {
  const { told, clock } = world(on, { begin: { on: true, command: COMMAND }, typed: { text: 'bg-1 Q1 answered: CSV', band: null } })
  await begin($)
  await clock.advance(1000)
  const typed = await $.command.run({ command: 'reply', args: 'bg-1 Q1: CSV', origin: { kind: 'composer' } })
  expect(typed.text).toBe('bg-1 Q1 answered: CSV')
  const words = told.filter(each => each.did === 'typed')
  expect(words.map(each => [each.command, each.words, each.proof.used])).toEqual([['reply', 'bg-1 Q1: CSV', 1]])
  for (const origin of [{ kind: 'scheduled-trigger' }, { kind: 'peer' }, { kind: 'plugin', name: 'other' }]) {
    await $.command.run({ command: 'reply', args: 'bg-1 Q1: JSON', origin }).catch(() => {})
  }
  expect(told.filter(each => each.did === 'typed').length).toBe(1)
})
