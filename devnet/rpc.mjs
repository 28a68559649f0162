// JSON-RPC to one anvil: single calls and batches over kept connections, each with a deadline.

import http from 'node:http';

export class RpcError extends Error {
  constructor(message, code, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Rpc {
  #port;
  #agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  #id = 0;

  constructor(port) {
    this.#port = port;
  }

  #post(body, timeoutMs) {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: '127.0.0.1',
          port: this.#port,
          method: 'POST',
          agent: this.#agent,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          timeout: timeoutMs,
        },
        (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            try {
              resolve(JSON.parse(Buffer.concat(chunks).toString()));
            } catch {
              reject(new Error(`the node answered ${response.statusCode} and no JSON`));
            }
          });
        },
      );
      request.on('timeout', () => request.destroy(new Error('no answer in time')));
      request.on('error', reject);
      request.end(body);
    });
  }

  async call(method, params = [], timeoutMs = 30000) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params });
    const answer = await this.#post(body, timeoutMs);
    if (answer.error) throw new RpcError(answer.error.message, answer.error.code, answer.error.data);
    return answer.result;
  }

  // What each of [method, params] came to, in order: { result } or { error }.
  async batch(calls, timeoutMs = 30000) {
    const results = [];
    const most = 100;
    for (let from = 0; from < calls.length; from += most) {
      const part = calls.slice(from, from + most).map(([method, params], index) => ({
        jsonrpc: '2.0',
        id: index,
        method,
        params,
      }));
      const answers = await this.#post(JSON.stringify(part), timeoutMs);
      if (!Array.isArray(answers)) throw new Error('the node answered a batch with a single answer');
      const sorted = new Array(part.length);
      for (const answer of answers) sorted[answer.id] = answer;
      results.push(...sorted);
    }
    return results;
  }

  close() {
    this.#agent.destroy();
  }
}

export const hex = (number) => '0x' + BigInt(number).toString(16);
