import ScenarioRunner

// The fate of one large value that nothing else names: only then it shows whether a store, or a folder, keeps it for
// the right reason.
extension HistoryGenerator {
  mutating func tellOfOne(by author: String) {
    guard !twins.contains(author), let (entity, attribute) = fileAttribute(of: author) else { return }
    let name = newRecord(of: entity, on: author)
    let value = uncommonFile()
    switch random.number(in: 0..<(maintains ? 100 : 25)) {
    case ..<25: deceive(author, entity, name, [attribute: value])
    case ..<50: outdate(author, entity, name, [attribute: value])
    case ..<75: hide(author, entity, name, [attribute: value])
    default: beat(author, entity, name, [attribute: value])
    }
  }

  private func fileAttribute(of replica: String) -> (entity: String, attribute: String)? {
    for entity in schema(of: replica).entities where entity.unique.isEmpty {
      if let file = entity.attributes.first(where: { $0.type == "file" }) { return (entity.name, file.name) }
    }
    return nil
  }

  /// Large on every replica that keeps such values beside its store.
  private mutating func uncommonFile() -> JSONValue {
    .string("\(random.pick(["1", "2", "3", "4"]))\(random.pick(["d", "e", "f"]))*\(random.number(in: 140..<180))")
  }

  private mutating func saveNow(_ edit: HistoryStep.RecordEdit, on replica: String) {
    time += 1
    steps.append(.save(on: replica, at: time, changes: [edit]))
    hasUnpublished.insert(replica)
  }

  /// The author's change sets reach all others, without the files of values, and the author hears that they have.
  private mutating func spreadRecords(by author: String) {
    publish(author)
    for other in replicas where other != author {
      steps.append(.deliver(from: author, to: other, files: nil))
      steps.append(.importing(other))
      known[other, default: []].formUnion(published[author] ?? [])
      guard !areTwins(author, other) else { continue }
      steps.append(.copy(from: other, to: author))
    }
    steps.append(.importing(author))
  }

  /// Another replica finds files under the right names that hold something else.
  private mutating func deceive(
    _ author: String, _ entity: String, _ name: String, _ values: [String: JSONValue]
  ) {
    saveNow(.insert(entity: entity, name: name, values: values), on: author)
    publish(author)
    let other = random.pick(workers.filter { $0 != author })
    guard !areTwins(author, other) else { return }
    harmed.insert(.value)
    steps.append(.deliver(from: author, to: other, files: nil))
    steps.append(.deliver(from: author, to: other, files: nil, of: .value))
    for file in 0..<4 {
      let bit = random.number(in: 0..<8)
      let fault = random.pick([HistoryStep.FileFault.swap, .corrupt(byte: random.number(in: 0..<60), bit: bit)])
      steps.append(.fault(fault, of: .value, from: author, to: other, file: file))
    }
    steps.append(.importing(other))
    steps.append(.loadValues(other))
    known[other, default: []].formUnion(published[author] ?? [])
  }

  /// The author replaces a value that all others wait for, and clears up before they have heard of it.
  private mutating func outdate(
    _ author: String, _ entity: String, _ name: String, _ values: [String: JSONValue]
  ) {
    saveNow(.insert(entity: entity, name: name, values: values), on: author)
    spreadRecords(by: author)
    saveNow(.update(name: name, values: values.mapValues { _ in .null }), on: author)
    if random.chance(30) { publish(author) }
    for _ in 0..<3 { steps.append(.maintain(author)) }
  }

  /// A record that is deleted, and not forgotten yet, has the value alone.
  private mutating func hide(
    _ author: String, _ entity: String, _ name: String, _ values: [String: JSONValue]
  ) {
    saveNow(.insert(entity: entity, name: name, values: values), on: author)
    spreadRecords(by: author)
    saveNow(.delete(name: name), on: author)
    spreadRecords(by: author)
    steps.append(.maintain(author))
    steps.append(.collectValues(author))
  }

  /// The conflict log has the value alone, which lost against that of another replica.
  private mutating func beat(
    _ author: String, _ entity: String, _ name: String, _ values: [String: JSONValue]
  ) {
    let other = random.pick(workers.filter { $0 != author })
    saveNow(.insert(entity: entity, name: name, values: [:]), on: author)
    spreadRecords(by: author)
    saveNow(.update(name: name, values: values), on: author)
    saveNow(.update(name: name, values: values.mapValues { _ in .null }), on: other)
    for _ in 0..<2 { steps.append(.sync(replicas)) }
    for replica in [author, other] {
      notePublished(replica)
      steps.append(.maintain(replica))
      steps.append(.collectValues(replica))
    }
  }
}
