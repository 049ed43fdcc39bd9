// Encrypted folders: who lacks the key, who replaces it, and what somebody does there who has none.
extension HistoryGenerator {
  /// Those that have a part in the end.
  var members: [String] { replicas.filter { !forgotten.contains($0) } }

  mutating func handleKeys() {
    if !forgotten.isEmpty, random.chance(30) { return workOfTheForgotten() }
    let (from, to) = pair()
    switch random.number(in: 0..<100) {
    case ..<25: loseKey(to)
    case ..<32: handOn()
    case ..<46: rotate(on: from)
    case ..<52: spreadMarker(from, to)
    case ..<62: keep(to)
    case ..<90: tamper(from, to)
    default: forget(to, on: from)
    }
  }

  /// Everybody gets the present key.
  mutating func handOn() {
    for name in members { steps.append(.key(.given, on: name)) }
  }

  /// A device works without the key for a while, or with that of another family.
  private mutating func loseKey(_ name: String) {
    steps.append(.key(random.chance(50) ? .missing : .foreign, on: name))
    if random.chance(60) { save(on: name) }
    let other = random.pick(workers.filter { $0 != name })
    publish(other)
    steps.append(.deliver(from: other, to: name, files: nil))
    let works: [HistoryStep] = [.importing(name), .export(name), .sync(workers), .compact(name)]
    steps.append(random.pick(compacts ? works : Array(works.dropLast())))
    if random.chance(60) { steps.append(.key(.given, on: name)) }
  }

  /// The others learn of the new key at once, or go on with the old one for a while.
  private mutating func rotate(on name: String) {
    steps.append(.key(.given, on: name))
    steps.append(.rotate(on: name))
    publish(name)
    if random.chance(40) { handOn() }
    if random.chance(50) { exchange() }
  }

  /// The file that names the key reaches another folder before or after the files of that key.
  private mutating func spreadMarker(_ from: String, _ to: String) {
    guard bereft.isEmpty, unmounted.isEmpty else { return }
    for replica in members { publish(replica) }
    steps.append(.mend(.marker, from: from, to: to))
    steps.append(random.chance(50) ? .importing(to) : .sync([from, to]))
  }

  /// Files that were removed or replaced since come back.
  private mutating func keep(_ name: String) {
    guard !hasCopies, bereft.isEmpty, unmounted.isEmpty else { return }
    if random.chance(50) { return steps.append(.keepFolder(name)) }
    // What was damaged when it was kept is damaged again.
    harmed.formUnion([.head])
    if compacts { harmed.formUnion([.manifest, .chunk]) }
    steps.append(.replay(name))
    steps.append(random.chance(50) ? .importing(name) : .sync(workers))
  }

  /// Files change names, or are made by somebody who knows for whom they must be encrypted.
  private mutating func tamper(_ from: String, _ to: String) {
    guard !areTwins(from, to) else { return }
    let kind: HistoryStep.FileKind = random.pick(
      compacts ? [.changeSet, .changeSet, .head, .chunk] : [.changeSet, .head])
    if kind != .changeSet { harmed.insert(kind) }
    // Two that the other does not know yet, mostly, and the fault is one of theirs.
    for _ in 0..<2 where random.chance(80) {
      save(on: from)
      publish(from)
    }
    steps.append(.copy(from: from, to: to))
    let fault: HistoryStep.FileFault = random.pick([.exchange, .exchange, .forge, .forge, .swap])
    let last = kind == .changeSet && random.chance(75) ? (files[from] ?? 0) - (fault == .forge ? 1 : 2) : 0
    steps.append(.fault(fault, of: kind, from: from, to: to, file: last > 0 ? last : random.number(in: 0..<3)))
    steps.append(.importing(to))
    // One that stays could go into the twin's folder, as its own.
    if twins.contains(from) || random.chance(40) {
      steps.append(kind == .changeSet ? .deliver(from: from, to: to, files: nil) : .mend(kind, from: from, to: to))
      steps.append(.importing(to))
      known[to, default: []].formUnion(published[from] ?? [])
    }
  }

  /// All have what the device wrote; then the others get a new key, and it does not.
  private mutating func forget(_ name: String, on other: String) {
    let isQuiet = unmounted.isEmpty && bereft.isEmpty && harmed.isEmpty && workers.count == replicas.count
    guard replicas.count > 2, forgotten.isEmpty, isQuiet, !collects, !compacts, !hasCopies, !retires else { return }
    handOn()
    for source in replicas {
      publish(source)
      for target in replicas where target != source { steps.append(.deliver(from: source, to: target, files: nil)) }
    }
    for _ in 0..<2 { steps.append(.sync(replicas)) }
    steps.append(.rotate(on: other, forgetting: name))
    forgotten.insert(name)
    workers.removeAll { $0 == name }
    handOn()
    for member in workers { publish(member) }
  }

  /// After a few saves of all. With two devices nobody is forgotten.
  mutating func forgetEarly() {
    for name in replicas where random.chance(70) { save(on: name) }
    let (from, to) = pair()
    forget(to, on: from)
  }

  /// It goes on to save, and others' tools bring its files.
  mutating func workOfTheForgotten() {
    guard let name = forgotten.first else { return }
    let other = random.pick(workers)
    switch random.number(in: 0..<5) {
    case 0, 1: save(on: name)
    case 2: publish(name)
    case 3: steps.append(.sync([name, other]))
    default:
      steps.append(.copy(from: name, to: other))
      steps.append(.importing(other))
    }
  }
}
