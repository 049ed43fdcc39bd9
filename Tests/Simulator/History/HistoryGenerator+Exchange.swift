extension HistoryGenerator {
  /// Two different replicas.
  mutating func pair() -> (from: String, to: String) {
    let from = random.pick(workers)
    return (from, random.pick(workers.filter { $0 != from }))
  }

  mutating func exchange() {
    let (from, to) = pair()
    switch random.number(in: 0..<100) {
    case ..<40: send(from, to)
    case ..<55: publish(from)
    case ..<70: deliverSome(from, to)
    case ..<82: steps.append(.importing(to))
    case ..<90: steps.append(.copy(from: from, to: to))
    default:
      steps.append(.sync([from, to]))
      for name in [from, to] { notePublished(name) }
      let both = (known[from] ?? []).union(known[to] ?? [])
      (known[from], known[to]) = (both, both)
    }
  }

  private mutating func send(_ from: String, _ to: String) {
    publish(from)
    steps.append(.deliver(from: from, to: to, files: nil))
    steps.append(.importing(to))
    known[to, default: []].formUnion(published[from] ?? [])
  }

  mutating func publish(_ name: String) {
    steps.append(.export(name))
    notePublished(name)
  }

  mutating func notePublished(_ name: String) {
    if hasUnpublished.remove(name) != nil { files[name, default: 0] += 1 }
    published[name] = known[name] ?? []
  }

  /// Files in any order, some of them, some not for the first time.
  private mutating func deliverSome(_ from: String, _ to: String) {
    let count = files[from] ?? 0
    guard count > 0 else { return publish(from) }
    let chosen = (0..<count).filter { _ in random.chance(60) }.shuffled(using: &random)
    guard !chosen.isEmpty else { return }
    steps.append(.deliver(from: from, to: to, files: chosen))
    if random.chance(70) { steps.append(.importing(to)) }
  }

  /// A file arrives and something befalls it before, or after, it is read.
  mutating func fault() {
    if random.chance(30) { return faultBesides() }
    let (from, to) = pair()
    // A tool would bring a damaged copy of a twin's file, lying in the own stream, back in place of the whole one.
    guard !areTwins(from, to) else { return }
    if hasUnpublished.contains(from) { publish(from) }
    let count = files[from] ?? 0
    guard count > 0 else { return }
    steps.append(.deliver(from: from, to: to, files: nil))
    if random.chance(25) { steps.append(.importing(to)) }
    steps.append(.fault(fileFault(), from: from, to: to, file: random.number(in: 0..<count)))
    steps.append(.importing(to))
    // So would one that goes from this folder to the twin's, which therefore does not stay.
    let hasTwin = twins.contains(from)
    if random.chance(40) || hasTwin {
      steps.append(.deliver(from: from, to: to, files: nil))
      steps.append(.importing(to))
      known[to, default: []].formUnion(published[from] ?? [])
    }
  }

  /// A head, a part of a snapshot or the folder's own marker goes wrong: in a copy that another holds, or in the
  /// author's own folder.
  private mutating func faultBesides() {
    let (from, to) = pair()
    var kinds: [HistoryStep.FileKind] = [.head, .head]
    if compacts { kinds += [.manifest, .chunk] }
    if bereft.isEmpty && unmounted.isEmpty { kinds.append(.marker) }
    let kind = random.pick(kinds)
    guard kind != .marker else { return faultOfMarker(in: to, mendedBy: from) }
    harmed.insert(kind)
    let isOwn = random.chance(25)
    guard isOwn || !areTwins(from, to) else { return }
    if !isOwn { steps.append(.copy(from: from, to: to)) }
    let fault = random.pick([.remove, .truncate(percent: random.pick([0, 50, 99])), bitFlip(below: 120)])
    steps.append(
      .fault(fault, of: kind, from: from, to: isOwn ? from : to, file: random.number(in: 0..<2)))
    if random.chance(60) { steps.append(random.chance(50) ? .importing(to) : .sync([from, to])) }
    if !isOwn, random.chance(40) { steps.append(.mend(kind, from: from, to: to)) }
  }

  /// A folder whose marker is gone or damaged is taken for unmounted until a whole copy of it arrives.
  private mutating func faultOfMarker(in name: String, mendedBy other: String) {
    // All have made their folders by then, so that no damaged marker gets into another.
    for replica in replicas { publish(replica) }
    let fault = random.pick([.remove, .truncate(percent: 50), bitFlip(below: 46)])
    steps.append(.fault(fault, of: .marker, from: other, to: name, file: 0))
    save(on: name)
    steps.append(random.chance(50) ? .importing(name) : .export(name))
    steps.append(.mend(.marker, from: other, to: name))
  }

  func areTwins(_ left: String, _ right: String) -> Bool { twins == [left, right] }

  private mutating func bitFlip(below count: Int) -> HistoryStep.FileFault {
    .corrupt(byte: random.number(in: 0..<count), bit: random.number(in: 0..<8))
  }

  private mutating func fileFault() -> HistoryStep.FileFault {
    switch random.number(in: 0..<6) {
    case 0: .truncate(percent: random.pick([0, 10, 50, 90, 99]))
    case 1, 2: .corrupt(byte: random.number(in: 0..<400), bit: random.number(in: 0..<8))
    case 3: .duplicate
    case 4: .rename
    default: .remove
    }
  }

  /// A collection, whenever it comes, or one that races with an edit which its author has made, but not published,
  /// before he hears of the delete.
  mutating func collect() {
    let (from, to) = pair()
    let entity = random.pick(schema(of: from).entities)
    let common = candidates(of: entity.name, for: from).filter { known[to]?.contains($0) == true }
    guard random.chance(70), let name = random.pickIfAny(common) else {
      return steps.append(.collect(from))
    }
    edit(name, of: entity, on: to)
    steps.append(.save(on: from, at: time, changes: [.delete(name: name)]))
    hasUnpublished.insert(from)
    publish(from)
    for other in replicas where other != from {
      steps.append(.deliver(from: from, to: other, files: nil))
      steps.append(.importing(other))
      steps.append(.copy(from: other, to: from))
    }
    if random.chance(50) { steps.append(.importing(from)) }
    steps.append(.collect(from))
  }

  /// What befalls a replica, its clock or its folder.
  mutating func surprise() {
    let name = random.pick(workers)
    switch random.number(in: 0..<12) {
    case 0, 1: steps.append(.clock(on: name, offsetHours: random.pick([87_600, -87_600, 25, -25, 1, -1, 0, 24_000])))
    case 2, 3, 4, 5:
      steps.append(
        .interrupt(
          work: random.pick(["export", "import", "sync"]), on: name,
          point: random.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15])))
    case 6:
      guard bereft.isEmpty, files[name] != nil else { return }
      if unmounted.insert(name).inserted {
        steps.append(.unmount(name))
      } else {
        unmounted.remove(name)
        steps.append(.mount(name))
      }
    case 7: steps.append(.keepFolder(name))
    case 8:
      guard mayLoseFolder(name) else { return }
      bereft.insert(name)
      steps.append(.rollBackFolder(name))
      steps.append(.importing(name))
    case 9:
      guard mayLoseFolder(name) else { return }
      bereft.insert(name)
      steps.append(.wipeFolder(name))
      steps.append(.importing(name))
    case 10: upgrade(name)
    default: steps.append(.reopen(name))
    }
  }

  /// One at most loses its folder, so that the others can bring it back.
  private func mayLoseFolder(_ name: String) -> Bool {
    bereft.isSubset(of: [name]) && unmounted.isEmpty && !restored.contains(name)
  }
}
