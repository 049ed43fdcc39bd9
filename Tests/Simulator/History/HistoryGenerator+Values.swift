// Large values, whose files go ways of their own.
extension HistoryGenerator {
  /// Devices differ in what they keep beside their stores, and some take values only when they are asked to.
  mutating func chooseForLargeValues() {
    for name in replicas {
      largeValueBytes[name] = random.pick([64, 64, 100, 128, 131_072])
      if random.chance(20) { valuesOnDemand.insert(name) }
    }
    maintains = random.chance(60)
    // Folders are small in the end of a history in which anybody may have written a snapshot.
    compacts = compacts || maintains
  }

  mutating func handleValues() {
    let (from, to) = pair()
    if let author = random.pickIfAny(workers.filter { largeValueBytes[$0] ?? .max <= 128 }), random.chance(60) {
      return tellOfOne(by: author)
    }
    switch random.number(in: 0..<100) {
    case ..<25: deliverValues(from, to)
    case ..<45: harmValue(from, to)
    case ..<60: steps.append(.loadValues(to))
    case ..<90:
      steps.append(.collectValues(to))
      if random.chance(50) { steps.append(.sync([from, to])) }
    default: steps.append(.interrupt(work: "import", on: to, point: random.number(in: 0..<30)))
    }
  }

  /// Some of the files, before or after the change sets that name them.
  private mutating func deliverValues(_ from: String, _ to: String) {
    if random.chance(50) { publish(from) }
    let chosen = random.chance(40) ? nil : [random.number(in: 0..<3)]
    steps.append(.deliver(from: from, to: to, files: chosen, of: .value))
    if random.chance(60) { steps.append(.importing(to)) }
  }

  /// A value's file goes wrong in a copy that another replica holds, or is gone from its author's own folder, and the
  /// author brings it back.
  private mutating func harmValue(_ from: String, _ to: String) {
    guard !areTwins(from, to) else { return }
    let file = random.number(in: 0..<3)
    guard random.chance(70) else {
      return steps.append(.fault(.remove, of: .value, from: from, to: from, file: file))
    }
    harmed.insert(.value)
    steps.append(.copy(from: from, to: to))
    let fault: HistoryStep.FileFault = random.pick([
      .remove, .truncate(percent: random.pick([0, 50, 99])),
      .corrupt(byte: random.number(in: 0..<60), bit: random.number(in: 0..<8)),
    ])
    steps.append(.fault(fault, of: .value, from: from, to: to, file: file))
    steps.append(random.chance(60) ? .importing(to) : .loadValues(to))
    if random.chance(40) { steps.append(.mend(.value, from: from, to: to)) }
  }

  /// Those that take values only when asked ask for all.
  mutating func settleValues() {
    for name in members where valuesOnDemand.contains(name) { steps.append(.loadValues(name)) }
  }
}
