// What package.json cannot say: which ptxi debugs, what F5 does without a launch.json, the tasks for the open file, and that a register's name begins with %.
'use strict';
const { spawnSync } = require('child_process');
const vscode = require('vscode');

const program = () => vscode.workspace.getConfiguration('ptxi').get('path') || 'ptxi';

const adapter = {
  createDebugAdapterDescriptor(session) {
    const found = spawnSync(program(), ['--version']);

    if (found.error) /* VS Code itself would say nothing */
      vscode.window.showErrorMessage(`${program()} cannot be started (${found.error.code}): the setting ptxi.path says where ptxi is`);
    return new vscode.DebugAdapterExecutable(program(), ['debug', '--dap', ...(session.configuration.options || ['--check=all'])]);
  },
};

const configurations = {
  resolveDebugConfiguration(folder, config) {
    const editor = vscode.window.activeTextEditor;

    if (config.type || config.request || config.name)
      return config;
    if (editor && editor.document.languageId === 'ptx')
      return { type: 'ptxi', request: 'launch', name: 'ptxi', program: '${file}' };
    return undefined;
  },
};

function task(definition, scope) {
  const suite = definition.suite || vscode.workspace.getConfiguration('ptxi').get('suite');
  const grades = definition.command === 'grade';
  const file = definition.file || (grades ? '${fileDirname}' : '${file}');
  const words = [definition.command, ...(definition.options || []), ...(grades ? [suite || '${file}'] : []), file];
  const made = new vscode.Task(definition, scope, definition.command, 'ptxi', new vscode.ShellExecution(program(), words), '$ptxi');

  if (definition.command === 'check')
    made.group = vscode.TaskGroup.Build;
  return made;
}

const tasks = {
  provideTasks: () =>
    ['check', 'run', 'explore', 'grade']
      .filter((command) => command !== 'grade' || vscode.workspace.getConfiguration('ptxi').get('suite'))
      .map((command) => task({ type: 'ptxi', command }, vscode.TaskScope.Workspace)),
  resolveTask: (given) => task(given.definition, given.scope || vscode.TaskScope.Workspace),
};

// A register, with a component of a vector, or memory with an index: %r1, %v.x, out[3].
const name = /%[A-Za-z0-9_$]+(?:\.[xyzw]\b)?|[A-Za-z_$][A-Za-z0-9_$]*(?:\[\d+(?:\.\.\d+)?\])?/;
const hover = {
  provideEvaluatableExpression(document, position) {
    const range = document.getWordRangeAtPosition(position, name);

    return range && new vscode.EvaluatableExpression(range);
  },
};

exports.activate = (context) =>
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('ptxi', adapter),
    vscode.debug.registerDebugConfigurationProvider('ptxi', configurations),
    vscode.tasks.registerTaskProvider('ptxi', tasks),
    vscode.languages.registerEvaluatableExpressionProvider('ptx', hover));
