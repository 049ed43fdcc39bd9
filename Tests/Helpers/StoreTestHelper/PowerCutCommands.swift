import Foundation
import RecordStore

private func numbers(_ texts: ArraySlice<String>) throws -> [Int64] {
  try texts.map { text in
    guard let number = Int64(text) else { throw Failure("\(text) is not a number") }
    return number
  }
}

private func hasLoggedSaves(_ store: String) -> Bool {
  FileManager.default.contents(atPath: store + "/redo.log")?.prefix(4) == Data("TRDO".utf8)
}

private func waitForRest(of store: String) throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while hasLoggedSaves(store) {
    if ContinuousClock.now > deadline { throw Failure("the store does not rest") }
    usleep(2_000)
  }
}

private func mark(_ step: String, _ save: Int64) { _ = access("/power-cut/\(step)/\(save)", F_OK) }

/// `<store> <seed> <saves>`: creates the store and saves, marking each step in the write log. A pause now and then lets
/// the store rest. Other processes do some of the saves, one of them without waiting for the device.
func savePowerCut(_ arguments: [String]) throws {
  let (seed, saves) = (try numbers(arguments[1...])[0], try numbers(arguments[1...])[1])
  mark("begun", 0)
  let store = try PowerCutStore(path: arguments[0], creates: true)
  mark("saved", 0)
  let other = try OtherSaver(store: arguments[0], seed: seed, durability: "full")
  let relaxed = try OtherSaver(store: arguments[0], seed: seed, durability: "relaxed")
  var random = SplitMix(state: UInt64(seed))
  for save in 1...saves {
    mark("begun", save)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: try relaxed.save(save)
    case 1...3: try other.save(save)
    default: try store.save(save, seed: UInt64(seed))
    }
    // A relaxed save is safe with the next that waits.
    if !relaxed.isLast(save) { mark("saved", save) }
    if save % 30 == 0 { try waitForRest(of: arguments[0]) }
  }
}

private func durability(_ name: String?) -> StoreConfiguration.Durability { name == "relaxed" ? .relaxed : .full }

/// `<store> <seed> full|relaxed`: does the saves that it is told, and says each that returned.
func saveOnRequest(_ arguments: [String]) throws {
  let seed = UInt64(try numbers(arguments[1..<2])[0])
  let store = try PowerCutStore(path: arguments[0], creates: false, durability: durability(arguments[2]))
  while let save = hear() {
    try store.save(try numbers([save])[0], seed: seed)
    say(save)
  }
}

/// `<store> <seed>`: creates the store and saves until a save is refused, and once more; says after which save, and why
/// each was refused. Once the log has saves, it marks the beginning of save 1,000, from which on flushes can fail.
func saveUntilRefused(_ arguments: [String]) throws {
  let seed = UInt64(try numbers(arguments[1...])[0])
  let store = try PowerCutStore(path: arguments[0], creates: true)
  var last: Int64 = 0
  func refusal() -> StoreError.Code? {
    if hasLoggedSaves(arguments[0]) { _ = access("/power-cut/begun/1000", F_OK) }
    do {
      try store.save(last + 1, seed: seed)
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }
  while last < 1000 {
    guard let code = refusal() else {
      last += 1
      continue
    }
    say("\(last) \(code) \(refusal().map { "\($0)" } ?? "saved")")
    return
  }
  throw Failure("no save was refused")
}

/// `<store> <seed> <acknowledged> <begun>`: checks what a power cut left; acknowledged is -1 before the creation was.
func checkPowerCut(_ arguments: [String]) throws {
  let given = try numbers(arguments[1...])
  let (seed, acknowledged, begun) = (UInt64(given[0]), given[1], given[2])
  let store: PowerCutStore
  do {
    store = try PowerCutStore(path: arguments[0], creates: false)
  } catch let error as StoreError {
    // Nothing was promised yet; but it must be an error, and creating the store must be possible.
    if acknowledged >= 0 { throw error }
    store = try PowerCutStore(path: arguments[0], creates: true)
  }
  let save = try store.compare(seed: seed)
  if save < acknowledged { throw Failure("save \(acknowledged) was acknowledged, the store ends at \(save)") }
  // Nothing saved is save 0, even before the creation was begun.
  if save > max(begun, 0) { throw Failure("save \(begun) was the last to begin, the store ends at \(save)") }
  try store.save(save + 1, seed: seed)
  let next = try store.compare(seed: seed)
  if next != save + 1 { throw Failure("a new save was not kept") }
}

/// `<store> [relaxed]`: opens what a power cut left, and closes it.
func recoverPowerCut(_ arguments: [String]) throws {
  _ = try PowerCutStore(path: arguments[0], creates: false, durability: durability(arguments.dropFirst().first))
}

/// `<log> <seed> <images> <random seed> [<logger>]`: cuts the power at that many places and checks what is left each
/// time; with the library that writes such logs also, now and then, cuts it again while that is opened.
func replayPowerCut(_ arguments: [String]) throws {
  let given = try numbers(arguments[1..<4])
  let log = try WriteLog(contentsOf: URL(fileURLWithPath: arguments[0]))
  var replay = Replay(log: log, seed: UInt64(given[2]))
  var again = Replay.Outcome()
  var random = SplitMix(state: UInt64(given[2]))
  let outcome = try replay.run(images: Int(given[1])) { image in
    if arguments.count > 4, image.redoLog != nil, Int.random(in: 0..<4, using: &random) == 0 {
      try cutAgain(image, seed: given[0], logger: arguments[4], &random, &again)
    }
    return try HelperRun.check(image, seed: given[0])
  }
  say(
    "\(log.entries.count) log entries, \(outcome.images) images, \(outcome.lostWrites) with lost writes, "
      + "\(outcome.failures.count) bad")
  if arguments.count > 4 {
    say("while opened: \(again.images) images, \(again.lostWrites) with lost writes, \(again.failures.count) bad")
  }
  let failures = outcome.failures + again.failures
  for failure in failures.prefix(10) { say("  \(failure)") }
  if !failures.isEmpty { throw Failure("a power cut can damage the store") }
}

private func cutAgain(
  _ image: Replay.Image, seed: Int64, logger: String, _ random: inout SplitMix, _ total: inout Replay.Outcome
) throws {
  let isRelaxed = Bool.random(using: &random)
  guard let log = try HelperRun.recovery(of: image, logger: logger, isRelaxed: isRelaxed), !log.entries.isEmpty else {
    return
  }
  var replay = Replay(log: log, seed: random.next(), from: image)
  let outcome = try replay.run(images: 4) { try HelperRun.check($0, seed: seed) }
  total.images += outcome.images
  total.lostWrites += outcome.lostWrites
  total.failures += outcome.failures.map { "while opened: \($0)" }
}
