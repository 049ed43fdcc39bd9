import ScenarioRunner

/// Makes a history from a seed, and nothing else: no clock, no disk, no engine.
///
/// It keeps a rough idea of what each device knows and which files lie where, so that most steps do something. What
/// a step really does is for the run to find out; a step that makes no sense where it stands is passed over there.
package struct HistoryGenerator {
  var random: HistoryRandom
  let theme: Theme
  /// All that take part in the end.
  var replicas: [String]
  /// Those that do something now: one may be silent, one not be there yet.
  var workers: [String]
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
  /// Whether snapshots are taken and folders made small.
  var compacts = false
  /// Whether devices are copied, or restored from backups.
  var hasCopies = false
  /// Whether history is trimmed and the list of large values brought up to date, as devices do it daily.
  var maintains = false
  /// Whether the last replica is silent, retired, and returns.
  var retires = false
  var backedUp: Set<String> = []
  /// Restored from a backup: what they wrote in their earlier life nobody publishes again, so their folders stay.
  var restored: Set<String> = []
  /// A device and its copy, once there is one.
  var twins: Set<String> = []
  var upgraded: Set<String> = []
  var unmounted: Set<String> = []
  /// Whose folder lost files, perhaps all.
  var bereft: Set<String> = []
  /// Kinds of files besides change sets of which copies were damaged.
  var harmed: Set<HistoryStep.FileKind> = []
  var time: UInt64 = 1
  var stuckClocks: Set<String> = []
  /// By replica: from so many bytes on its saves put values beside the store.
  var largeValueBytes: [String: Int] = [:]
  /// The replicas that take large values only when a step asks for them.
  var valuesOnDemand: Set<String> = []
  /// The device that has got no new key.
  var forgotten: Set<String> = []

  /// The history of a seed. `theme`: one of them; nil: the seed chooses. `isOfCopies`: devices are copied or restored,
  /// and often dead records forgotten and folders made small.
  package static func history(seed: UInt64, theme: String? = nil, isOfCopies: Bool = false) -> History {
    var random = HistoryRandom(seed: seed)
    let drawn = random.pick(Theme.drawn)
    let common = Theme.isOfLargeValues(seed) ? Theme.photos : drawn
    let own = Theme.isOfSealedFolders(seed) ? Theme.letters : common
    let theme = (theme.flatMap { name in Theme.all.first { $0.name == name } } ?? own).varied(by: seed)
    let count = random.pick([2, 2, 3, 3, 3, 4])
    let names = Array(["A", "B", "C", "D"].prefix(count))
    var generator = HistoryGenerator(random: random, theme: theme, replicas: names)
    return generator.make(seed: seed, isOfCopies: isOfCopies)
  }

  private init(random: HistoryRandom, theme: Theme, replicas: [String]) {
    self.random = random
    self.theme = theme
    self.replicas = replicas
    workers = replicas
  }

  private mutating func make(seed: UInt64, isOfCopies: Bool) -> History {
    let length = random.pick([6, 10, 14, 18, 26])
    collects = random.chance(isOfCopies ? 60 : 30)
    compacts = random.chance(isOfCopies ? 40 : 25)
    let kind = random.number(in: 0..<100)
    hasCopies = isOfCopies || kind < 10
    retires = !hasCopies && kind >= 10 && kind < 18 && replicas.count > 2
    if theme.hasLargeValues { chooseForLargeValues() }
    if theme.forgets { (collects, compacts, maintains, retires, hasCopies) = (false, false, false, false, false) }
    if theme.olderSchema == nil {
      upgraded = Set(replicas)
    } else {
      upgrade(replicas[random.number(in: 0..<replicas.count)])
    }
    // Collection waits for the replicas that are known, so all are from the beginning.
    // So does a device that shall find an encrypted folder without having the key.
    if collects || retires || maintains || theme.isSealed { steps.append(.sync(replicas)) }
    if retires || replicas.count > 2 && random.chance(12) && !theme.forgets { workers.removeLast() }
    if theme.forgets { forgetEarly() }
    let begun = theme.forgets ? steps.count : 0
    while steps.count < begun + length { work() }
    let settlingBegins = steps.count
    settle()
    return History(
      seed: seed, theme: theme.name, schema: theme.olderSchema ?? theme.schema, newestSchema: theme.schema,
      replicas: replicas, steps: steps, settlingBegins: settlingBegins,
      largeValueBytes: largeValueBytes, valuesOnDemand: valuesOnDemand, isSealed: theme.isSealed,
      isShared: theme.isShared)
  }

  func schema(of replica: String) -> SimulatedSchema {
    upgraded.contains(replica) ? theme.schema : theme.olderSchema ?? theme.schema
  }

  private mutating func work() {
    if collects, random.chance(25) { return collect() }
    if compacts, random.chance(20) { return compact() }
    if hasCopies, random.chance(20) { return copyDevice() }
    if retires, random.chance(10) { return workOfTheSilent() }
    if theme.hasLargeValues, random.chance(20) { return handleValues() }
    if theme.forgets, !forgotten.isEmpty, random.chance(25) { return workOfTheForgotten() }
    if theme.isSealed, random.chance(30) { return handleKeys() }
    if theme.hasEffects, random.chance(25) { return effect(on: random.pick(workers)) }
    if random.chance(10) { return duel() }
    switch random.number(in: 0..<100) {
    case ..<52: save(on: random.pick(workers))
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
    let replicas = members
    for name in replicas where unmounted.contains(name) { steps.append(.mount(name)) }
    for name in replicas { upgrade(name) }
    if theme.isSealed { handOn() }
    // A folder that lost everything gets its beginning back from another; then it takes exports again.
    for name in replicas { steps.append(.export(name)) }
    for target in replicas where bereft.contains(target) {
      for source in replicas where source != target { steps.append(.copy(from: source, to: target)) }
      steps.append(.export(target))
    }
    // Whole copies take the place of damaged ones.
    for source in replicas {
      for target in replicas where target != source {
        steps.append(.deliver(from: source, to: target, files: nil))
        for kind in harmed.sorted(by: { $0.rawValue < $1.rawValue }) {
          steps.append(.mend(kind, from: source, to: target))
        }
      }
    }
    if retires { steps.append(.retire(replicas[replicas.count - 1], on: replicas[0])) }
    for _ in 0..<(hasCopies || retires ? 4 : 2) { steps.append(.sync(replicas)) }
    if hasCopies { settleCopies() }
    if collects {
      steps.append(.collect(random.pick(replicas)))
      for _ in 0..<(retires ? 4 : 2) { steps.append(.sync(replicas)) }
    }
    guard compacts else { return settleValues() }
    for _ in 0..<3 {
      for name in replicas { steps.append(.compact(name)) }
      steps.append(.sync(replicas))
    }
    // What was removed may come back from the others' copies until its owner looks again.
    for name in replicas { steps.append(.compact(name)) }
    settleValues()
  }
}
