// Runs an ONNX file with ONNX Runtime for Node: timed executions on one set of values, and the outputs.
// Usage: node onnx_worker.js NODE_MODULES MODEL THREADS RUNS INPUTS OUTPUT_FOLDER. INPUTS is a JSON array of {name, type, dims, file}.
// Prints {version, seconds: [...], outputs: [{type, dims, file}]}.
'use strict';
const fs = require('fs');
const path = require('path');

const [modules, model, threads, runs, inputs, folder] = process.argv.slice(2);
const at = (name) => require(path.join(modules, name));
const {Tensor} = at('onnxruntime-common');
// The binding itself, which computes on the calling thread: nothing but the execution is timed.
const {binding, initOrt} = at('onnxruntime-node/dist/binding.js');
const version = at('onnxruntime-node/package.json').version;

const ARRAYS = {float32: Float32Array, uint8: Uint8Array, int8: Int8Array, int32: Int32Array, int64: BigInt64Array, bool: Uint8Array};

function read({type, dims, file}) {
  const bytes = fs.readFileSync(file);
  const aligned = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new Tensor(type, new ARRAYS[type](aligned), dims);
}

initOrt();
const session = new binding.InferenceSession();
session.loadModel(path.resolve(model), {
  intraOpNumThreads: Number(threads), interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
});
const feeds = {};
JSON.parse(inputs).forEach((input) => { feeds[input.name] = read(input); });
const wanted = {};
for (const output of session.outputMetadata) wanted[output.name] = null;

const seconds = [];
let results;
const warmUp = Math.max(3, Math.ceil(Number(runs) / 5));
for (let i = 0; i < warmUp + Number(runs); ++i) {
  const start = process.hrtime.bigint();
  results = session.run(feeds, wanted, {});
  if (i >= warmUp) seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
}
const outputs = Object.keys(wanted).map((name, i) => {
  const {type, dims, data} = results[name];
  const file = path.join(folder, `onnx.${i}`);
  fs.writeFileSync(file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  return {type, dims, file};
});
console.log(JSON.stringify({version, seconds, outputs}));
