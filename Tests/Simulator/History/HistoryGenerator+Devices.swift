// What befalls whole devices, and what keeps their folders small.
extension HistoryGenerator {
  /// A snapshot or a compaction, now and then with what it waits for: that others say what they have.
  mutating func compact() {
    let name = random.pick(workers)
    if random.chance(40) { steps.append(.sync(workers)) }
    if random.chance(15) {
      let work = random.pick(["compact", "snapshot"])
      return steps.append(.interrupt(work: work, on: name, point: random.number(in: 0..<16)))
    }
    steps.append(random.chance(40) ? .snapshot(name) : .compact(name))
    guard random.chance(40), let other = random.pickIfAny(workers.filter { $0 != name }) else { return }
    steps.append(.copy(from: name, to: other))
    steps.append(.importing(other))
  }

  /// A device is copied once, or restored from an earlier copy of its store after it has published what it had.
  mutating func copyDevice() {
    let name = random.pick(workers)
    if !replicas.contains("E"), random.chance(40) {
      replicas.append("E")
      twins = [name, "E"]
      workers.append("E")
      known["E"] = known[name]
      published["E"] = published[name]
      if upgraded.contains(name) { upgraded.insert("E") }
      if stuckClocks.contains(name) { stuckClocks.insert("E") }
      largeValueBytes["E"] = largeValueBytes[name]
      if valuesOnDemand.contains(name) { valuesOnDemand.insert("E") }
      return steps.append(.clone(from: name, name: "E"))
    }
    if backedUp.insert(name).inserted { return steps.append(.backup(name)) }
    guard !unmounted.contains(name), !bereft.contains(name) else { return }
    publish(name)
    steps.append(.restore(name))
    restored.insert(name)
    backedUp.remove(name)
  }

  /// The replica that will be retired saves, sends or, seldom, hears something.
  mutating func workOfTheSilent() {
    let name = replicas[replicas.count - 1]
    switch random.number(in: 0..<5) {
    case 0...2: save(on: name)
    case 3: publish(name)
    default: steps.append(.copy(from: random.pick(workers), to: name))
    }
    if random.chance(15) { steps.append(.retire(name, on: random.pick(workers))) }
  }

  /// Every device writes once more, so that those that share an id find out.
  mutating func settleCopies() {
    for name in replicas {
      save(on: name)
      steps.append(.sync(replicas))
    }
    for _ in 0..<3 { steps.append(.sync(replicas)) }
  }
}
