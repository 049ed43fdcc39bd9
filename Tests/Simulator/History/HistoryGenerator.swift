import ScenarioRunner

/// Makes a history from a seed, and nothing else: no clock, no disk, no engine.
///
/// It keeps a rough idea of who knows which record and which files lie where, so that most steps do something. What
/// a step really does is for the run to find out; a step that makes no sense where it stands is passed over there.
package struct HistoryGenerator {
  var random: HistoryRandom
  let theme: Theme
  let replicas: [String]
  var steps: [HistoryStep] = []

  /// Records by name in the order in which they are made, with their entities.
  var records: [(name: String, entity: String)] = []
  /// What each replica has heard of, roughly.
  var known: [String: Set<String>] = [:]
  /// How many files each replica has published, at most; whether there is more to publish.
  var files: [String: Int] = [:]
  var hasUnpublished: Set<String> = []
  /// What each replica's published files say of.
  var published: [String: Set<String>] = [:]
  /// What the effect of each once key inserts.
  var effects: [String: (effect: String, line: String)] = [:]
  /// Whether dead records are forgotten on the way.
  var collects = false
  var upgraded: Set<String> = []
  var unmounted: Set<String> = []
  /// Whose folder lost files, perhaps all.
  var bereft: Set<String> = []
  var time: UInt64 = 1
  var stuckClocks: Set<String> = []

  /// The history of a seed. `theme`: one of them; nil: the seed chooses.
  package static func history(seed: UInt64, theme: String? = nil) -> History {
    var random = HistoryRandom(seed: seed)
    let drawn = random.pick(Theme.all)
    let theme = theme.flatMap { name in Theme.all.first { $0.name == name } } ?? drawn
    let count = random.pick([2, 2, 3, 3, 3, 4])
    let names = Array(["A", "B", "C", "D"].prefix(count))
    var generator = HistoryGenerator(random: random, theme: theme, replicas: names)
    return generator.make(seed: seed)
  }

  private init(random: HistoryRandom, theme: Theme, replicas: [String]) {
    self.random = random
    self.theme = theme
    self.replicas = replicas
  }

  private mutating func make(seed: UInt64) -> History {
    let length = random.pick([6, 10, 14, 18, 26])
    collects = random.chance(30)
    if theme.olderSchema == nil {
      upgraded = Set(replicas)
    } else {
      upgrade(replicas[random.number(in: 0..<replicas.count)])
    }
    // Collection waits for the replicas that are known, so all are from the beginning.
    if collects { steps.append(.sync(replicas)) }
    while steps.count < length { work() }
    let settlingBegins = steps.count
    settle()
    return History(
      seed: seed, theme: theme.name, schema: theme.olderSchema ?? theme.schema, newestSchema: theme.schema,
      replicas: replicas, steps: steps, settlingBegins: settlingBegins)
  }

  func schema(of replica: String) -> SimulatedSchema {
    upgraded.contains(replica) ? theme.schema : theme.olderSchema ?? theme.schema
  }

  private mutating func work() {
    if collects, random.chance(25) { return collect() }
    if theme.hasEffects, random.chance(25) { return effect(on: random.pick(replicas)) }
    if random.chance(10) { return duel() }
    switch random.number(in: 0..<100) {
    case ..<52: save(on: random.pick(replicas))
    case ..<82: exchange()
    case ..<93: fault()
    default: surprise()
    }
  }

  mutating func upgrade(_ replica: String) {
    guard upgraded.insert(replica).inserted else { return }
    steps.append(.upgrade(replica))
  }
}

// The end: all faults are over, and everybody gets everything.
extension HistoryGenerator {
  private mutating func settle() {
    for name in replicas where unmounted.contains(name) { steps.append(.mount(name)) }
    for name in replicas { upgrade(name) }
    // A folder that lost everything gets its beginning back from another; then it takes exports again.
    for name in replicas { steps.append(.export(name)) }
    for target in replicas where bereft.contains(target) {
      for source in replicas where source != target { steps.append(.copy(from: source, to: target)) }
      steps.append(.export(target))
    }
    // Whole copies take the place of damaged ones.
    for source in replicas {
      for target in replicas where target != source { steps.append(.deliver(from: source, to: target, files: nil)) }
    }
    steps.append(.sync(replicas))
    steps.append(.sync(replicas))
    guard collects else { return }
    steps.append(.collect(random.pick(replicas)))
    steps.append(.sync(replicas))
    steps.append(.sync(replicas))
  }
}
