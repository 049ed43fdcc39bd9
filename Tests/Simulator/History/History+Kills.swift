import ScenarioRunner

extension History {
  /// Two replicas that were apart: one of them is killed at a point of its work and goes on afterwards.
  ///
  /// `work`: `export`, `import` or `sync`; `point`: counted from 0. Points beyond the work's end kill nobody, and the
  /// history holds all the same.
  package static func kill(during work: String, at point: Int) -> History {
    let theme = Theme.purchases
    var steps: [HistoryStep] = [
      .save(on: "A", at: 1, changes: purchase("r1", grant: "r2", amount: 1)),
      .sync(["A", "B"]),
      .save(on: "A", at: 5, changes: purchase("r3", grant: "r4", amount: 2)),
      .save(on: "B", at: 5, changes: purchase("r5", grant: "r6", amount: 3)),
      .save(on: "B", at: 6, changes: [.update(name: "r2", values: ["amount": .integer(7)])]),
      .save(on: "A", at: 7, changes: [.delete(name: "r1")]),
      .export("B"),
      .deliver(from: "B", to: "A", files: nil),
      .interrupt(work: work, on: "A", point: point),
      .importing("A"),
    ]
    let settlingBegins = steps.count
    steps += [.export("A"), .deliver(from: "A", to: "B", files: nil), .sync(["A", "B"]), .sync(["A", "B"])]
    return History(
      seed: UInt64(point), theme: theme.name, schema: theme.schema, newestSchema: theme.schema, replicas: ["A", "B"],
      steps: steps, settlingBegins: settlingBegins)
  }

  /// All but the first with the same transaction id, so that they become one.
  private static func purchase(_ name: String, grant: String, amount: Int64) -> [HistoryStep.RecordEdit] {
    let id = name == "r1" ? "a" : "b"
    return [
      .insert(entity: "Purchase", name: name, values: ["tx": .string(id), "amount": .integer(amount)]),
      .insert(
        entity: "Grant", name: grant,
        values: ["purchase": .string(name), "kind": .integer(1), "amount": .integer(amount)]),
    ]
  }
}
