/** Gathers single questions into few requests. Keys asked for again meanwhile share one answer. */
export class Batcher<V> {
  private waiting = new Map<string, Deferred<V>>();
  private timer: NodeJS.Timeout | undefined;

  /** `ask` answers keys in their order. */
  constructor(
    private readonly ask: (keys: string[]) => Promise<V[]>,
    private readonly delayMs = 10,
    private readonly most = 200,
  ) {}

  get(key: string): Promise<V> {
    let asked = this.waiting.get(key);
    if (!asked) {
      asked = deferred<V>();
      this.waiting.set(key, asked);
      if (this.waiting.size >= this.most) this.flush();
      else this.timer ??= setTimeout(() => { this.flush(); }, this.delayMs);
    }
    return asked.promise;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const asked = this.waiting;
    this.waiting = new Map();
    const settle = [...asked.values()];
    this.ask([...asked.keys()]).then(
      (answers) => {
        settle.forEach((one, index) => {
          const answer = answers[index];
          if (answer === undefined) one.reject(new Error("the server gave too few answers"));
          else one.resolve(answer);
        });
      },
      (error: unknown) => {
        for (const one of settle) one.reject(error);
      },
    );
  }
}

interface Deferred<V> {
  promise: Promise<V>;
  resolve: (value: V) => void;
  reject: (reason: unknown) => void;
}

function deferred<V>(): Deferred<V> {
  let resolve!: (value: V) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<V>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
