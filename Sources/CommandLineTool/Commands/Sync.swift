import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection
import Synchronization

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make two device directories equal, or one with an exchange folder or a place in a cloud.",
    discussion: """
      For every store of either side: both export what is new, missing files are
      copied both ways, both import. Nothing is lost silently: what lost against
      a later write is in 'tandem conflicts'. A second run has nothing to do.
      --folder names a folder that another tool moves between machines. --remote
      names a place that the program rclone reaches, such as WebDAV, SFTP, S3 or a
      drive in a cloud, after 'rclone config' has set it up: one list, and only
      files that either side lacks travel. A directory
      must be there, and have stores or be empty, unless --create is given. A folder
      that was emptied is taken for unmounted, unless --begin-anew is given. A store
      whose family has a key ('tandem key') is encrypted there. Large values, which
      lie in files of their own, stay where they are with '--large-values on-demand';
      a later run without it brings them. A run that has moved --maximum-bytes leaves
      the rest to the next one (exit code 1). --watch
      goes on until Ctrl-C or SIGTERM, and then ends with exit code 0; trouble
      on the way is told once, and once when it is over. Exit code 1 when a file had
      to be skipped, something could not be written, a store failed, or a device is
      known to have what has not arrived; everything else is done then. Exit code 2
      when nothing was done, as when --remote cannot be listed.

      Example: tandem sync phone laptop
      Example: tandem sync phone --folder ~/Dropbox/exchange --watch
      Example: tandem sync phone --remote backup:tandem
      """)

  @Argument(
    help: ArgumentHelp(
      "A device directory, and a second one unless --folder or --remote is given.", valueName: "device"),
    completion: .directory, transform: GivenPath.text)
  var devices: [String]

  @Option(
    help: ArgumentHelp("Exchange through this folder.", valueName: "folder"), completion: .directory,
    transform: GivenPath.text)
  var folder: String?

  @Option(help: ArgumentHelp("Exchange through this remote of rclone.", valueName: "name:path"))
  var remote: String?

  @Flag(help: "Go on: synchronise whenever something changes on either side.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "Synchronise this store alone; may be given several times.", valueName: "group/store"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave these stores alone, with * for any characters; may be given several times.", valueName: "group/store"))
  var except: [String] = []

  @Option(
    help: ArgumentHelp(
      "Whether large values of others come along: 'always', or 'on-demand', which leaves them where they are until "
        + "a run without it.", valueName: "when"))
  var largeValues = LargeValues.always

  @Option(
    help: ArgumentHelp(
      "Move no more than about so many bytes in one run; the next one goes on. K, M and G stand for KiB, MiB and GiB.",
      valueName: "bytes"))
  var maximumBytes: ByteCount?

  @Flag(help: "Say what would be exported, merged and made, and write nothing.")
  var dryRun = false

  @Flag(help: "Write all that the device knows into a --folder or --remote that was emptied since it was used.")
  var beginAnew = false

  @Flag(help: "Make one directory that is missing, or use one that has no store and holds other things.")
  var create = false

  @Flag(help: "Let every user of the machine read what is written into --folder.")
  var sharedFolder = false

  @Option(
    help: ArgumentHelp(
      "How often --watch looks at the folder or the remote; by default every half minute, or every two seconds where "
        + "the system does not tell of new files in a folder.", valueName: "seconds"))
  var every: Double?

  @Option(
    help: ArgumentHelp(
      "The least time between two synchronisations of --watch, whatever is saved or arrives meanwhile.",
      valueName: "seconds"))
  var minimumInterval: Double?

  @OptionGroup var secrecy: PassphraseOptions
  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if folder != nil, remote != nil { throw ValidationError("name --folder or --remote, not both") }
    if folder == nil, sharedFolder { throw ValidationError("--shared-folder needs --folder") }
    if folder == nil, remote == nil {
      guard devices.count == 2 else {
        throw ValidationError("name two device directories, or one and --folder or --remote; \(devices.count) given")
      }
      if watch { throw ValidationError("--watch needs --folder or --remote") }
      if beginAnew { throw ValidationError("--begin-anew needs --folder or --remote") }
    } else if devices.count != 1 {
      let option = folder == nil ? "--remote" : "--folder"
      throw ValidationError("\(option) goes with one device directory; \(devices.count) given")
    }
    for place in only where DeviceDirectory.Place(place) == nil {
      throw ValidationError("--only '\(DisplayText.visible(place))' is not of the form GROUP/STORE")
    }
    for pattern in except where PlacePattern(pattern) == nil {
      throw ValidationError("--except '\(DisplayText.visible(pattern))' is not of the form GROUP/STORE")
    }
    if every != nil, !watch { throw ValidationError("--every needs --watch") }
    if minimumInterval != nil, !watch { throw ValidationError("--minimum-interval needs --watch") }
    if let minimumInterval, !(minimumInterval > 0 && minimumInterval <= 86_400) {
      throw ValidationError("--minimum-interval \(minimumInterval) is not more than 0 and at most 86400 seconds")
    }
    if beginAnew, watch { throw ValidationError("--begin-anew is done once; leave out --watch, and watch afterwards") }
    if dryRun, watch { throw ValidationError("--dry-run looks once; leave out --watch") }
    if let every, !(every > 0 && every <= 86_400) {
      throw ValidationError("--every \(every) is not more than 0 and at most 86400 seconds")
    }
  }

  func run() throws {
    if let remote { return try run(remote) }
    let (first, second) = try directories()
    // A mistake that shows from the beginning is one in the command.
    let sync = DeviceSync(options: try deviceOptions { _, _, _ in })
    let places = folder == nil ? try sync.places(of: first, second) : try sync.places(of: first, folder: second)
    if dryRun {
      try show(try plan(first, second))
    } else {
      try first.make()
      try second.make(isShared: sharedFolder)
      if watch { return try follow(first, second) }
      if beginAnew { Console.standard.tell(sentence(on: try plan(first, second), sides[1])) }
      let report = try synchronizeOnce(first, second)
      try show(report)
      if !report.isComplete { throw SilentExit(.found) }
    }
    if places.isEmpty { throw noStore(sides) }
  }

  func noStore(_ sides: [String]) -> CommandFailure {
    CommandFailure(
      except.isEmpty
        ? "\(sides.joined(separator: " and ")) hold no store; a device directory holds stores as <group>/<name>.store"
        : "\(sides.joined(separator: " and ")) hold no store besides those that --except leaves alone")
  }

  /// The sentence on the work of `--begin-anew` that is to come.
  func sentence(on plan: DevicePlan, _ other: String) -> String {
    let places = plan.stores.filter(\.isBegunAnew).map(\.place.description)
    guard !places.isEmpty else {
      return "\(other) has lost no store that \(sides[0]) has synchronised with it; what it lacks is added"
    }
    return "\(other) does not hold \(places.joined(separator: ", ")) any more: all that \(sides[0]) knows of it is "
      + "written there again, and other devices add what they have when they synchronise"
  }

  private var sides: [String] { devices + (folder.map { [$0] } ?? []) }

  /// Both sides; with `--create` one of them may be missing.
  private func directories() throws -> (DeviceDirectory, DeviceDirectory) {
    let urls = sides.map { URL(fileURLWithPath: $0, isDirectory: true) }
    guard create else { return (try DeviceDirectory(urls[0]), try DeviceDirectory(urls[1])) }
    guard urls.contains(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
      throw CommandFailure(
        "neither \(sides[0]) nor \(sides[1]) is there; check the paths, for --create makes only one of two")
    }
    return (try DeviceDirectory(toBeMadeAt: urls[0]), try DeviceDirectory(toBeMadeAt: urls[1]))
  }

  func deviceOptions(
    _ progress: @escaping @Sendable (DeviceDirectory.Place, String, SyncEvent) -> Void
  ) throws -> DeviceSync.Options {
    var options = DeviceSync.Options()
    options.passphrase = try secrecy.passphrase()
    options.timeoutSeconds = access.timeout
    options.sharesFolder = sharedFolder
    options.acceptsForeignDirectories = create
    options.only = only.isEmpty ? nil : Set(only.compactMap { DeviceDirectory.Place($0) })
    options.except = Set(except.compactMap { PlacePattern($0) })
    options.largeValues = largeValues.option
    options.maximumBytes = maximumBytes?.value
    options.configuration.timeoutSeconds = access.timeout
    options.configuration.unsafelyAllowsNetworkFileSystem = access.unsafelyAllowNetworkFileSystem
    options.progress = progress
    return options
  }

  private func synchronizeOnce(_ first: DeviceDirectory, _ second: DeviceDirectory) throws -> DeviceReport {
    let progress = SyncProgress()
    defer { progress.finish() }
    let (isFolder, beginAnew) = (folder != nil, beginAnew)
    let sync = DeviceSync(options: try deviceOptions { place, _, event in progress.show(event, of: place) })
    return try cancellable {
      isFolder
        ? try await sync.synchronize(first, folder: second, beginningAnew: beginAnew)
        : try await sync.synchronize(first, second)
    }
  }

  private func plan(_ first: DeviceDirectory, _ second: DeviceDirectory) throws -> DevicePlan {
    let (isFolder, beginAnew) = (folder != nil, beginAnew)
    let sync = DeviceSync(options: try deviceOptions { _, _, _ in })
    return try cancellable {
      isFolder
        ? try await sync.plan(first, folder: second, beginningAnew: beginAnew) : try await sync.plan(first, second)
    }
  }

  /// Runs what ends early and whole when it is interrupted.
  func cancellable<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let wait = MainThreadWait<Value>()
    return try Interruption.shared.cancelling({ wait.cancel() }) { try wait.run(body) }
  }

  /// Goes on until it is asked to end, whatever happens to the device and the folder meanwhile.
  private func follow(_ device: DeviceDirectory, _ folder: DeviceDirectory) throws {
    let sync = DeviceSync(options: try deviceOptions { _, _, _ in })
    try follow { await sync.follow(device: device.url, folder: folder.url, $0, $1) }
  }

  /// Prints the events of a watch until it is asked to end.
  func follow(
    _ body: @escaping @Sendable (WatchOptions, @escaping @Sendable (WatchEvent<DeviceReport>) -> Void) async -> Void
  ) throws {
    var watch = WatchOptions()
    if let every {
      watch.pollInterval = .seconds(every)
      watch.saveDelay = min(watch.saveDelay, .seconds(every))
    }
    if let minimumInterval { watch.minimumInterval = .seconds(minimumInterval) }
    let (options, isJSON) = (watch, output.json)
    let wait = MainThreadWait<(any Error)?>()
    let failure = try Interruption.shared.following(wake: { wait.cancel() }) {
      try wait.run {
        let failure = Mutex<(any Error)?>(nil)
        await body(options) { event in
          do {
            try WatchText(event: event, isJSON: isJSON).print()
          } catch {
            // The reader of the output has gone.
            failure.withLock { $0 = $0 ?? error }
            wait.cancel()
          }
        }
        return failure.withLock { $0 }
      }
    }
    if let failure { throw failure }
  }

  func show(_ report: DeviceReport) throws {
    if output.json {
      try Console.standard.print(try JSON(encoding: report))
      return
    }
    let text = SyncText(report: report)
    for line in text.lines { try Console.standard.print(DisplayText.visible(line)) }
    try Console.standard.flush()
    for line in text.trouble { Console.standard.tell(line) }
  }

  func show(_ plan: DevicePlan) throws {
    if output.json {
      try Console.standard.print(try JSON(encoding: plan))
    } else {
      for line in PlanText(plan: plan).lines { try Console.standard.print(DisplayText.visible(line)) }
    }
    let failures = plan.stores.compactMap { store in store.failure.map { "\(store.place): \($0)" } }
    try Console.standard.flush()
    for failure in failures { Console.standard.tell(failure) }
    if !failures.isEmpty { throw SilentExit(.found) }
  }
}

/// The work that a synchronisation would do, as a person reads it.
struct PlanText {
  let plan: DevicePlan

  var lines: [String] {
    if plan.stores.isEmpty { return [] }
    if plan.isUnchanged { return ["nothing would be done"] }
    return plan.stores.filter { $0.failure == nil }.flatMap { store in
      let devices = store.devices.sorted { $0.key < $1.key }.map { "  \($0): \(summary(of: $1))" }
      return [store.isBegunAnew ? "\(store.place), all of it written anew" : "\(store.place)"] + devices
    }
  }

  private func summary(of device: DevicePlan.Store.Device) -> String {
    func count(_ number: UInt64) -> String { DisplayText.count(Int(clamping: number), "transaction") }
    var parts = device.isCreated ? ["store would be created"] : []
    if device.transactionsExported > 0 { parts.append("\(count(device.transactionsExported)) would be exported") }
    if device.joinsSnapshot { parts.append("would begin again with a snapshot") }
    if device.transactionsMerged > 0 { parts.append("\(count(device.transactionsMerged)) would be merged") }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }
}

/// A report of synchronisation as a person reads it.
struct SyncText {
  let report: DeviceReport

  var lines: [String] {
    if report.stores.isEmpty { return [] }
    let left = left + report.stores.flatMap { store in store.postponed.map { "\(store.place): \($0)" } }
    guard report.isUnchanged && report.isComplete else { return report.stores.flatMap { lines(of: $0) } + left }
    return left.isEmpty
      ? ["nothing to do: the sides are equal"] : ["nothing to do: the records of the sides are equal"] + left
  }

  /// The large values that were left where they are, and how they come.
  private var left: [String] {
    let reports = report.stores.flatMap(\.devices.values)
    let count = reports.reduce(0) { $0 + $1.valuesLeft }
    guard count > 0 else { return [] }
    let bytes = DisplayText.byteCount(reports.reduce(0) { $0 + $1.valueBytesLeft })
    return count == 1
      ? ["1 large value of \(bytes) has not come: a run with '--large-values always' brings it"]
      : ["\(count) large values of \(bytes) have not come: a run with '--large-values always' brings them"]
  }

  private func lines(of store: DeviceReport.Store) -> [String] {
    if store.isUnchanged { return ["\(store.place): \(store.isComplete ? "nothing to do" : "nothing new")"] }
    let devices = store.devices.sorted { $0.key < $1.key }.map { path, device in
      "  \(path): \(summary(of: device, isNew: store.created.contains(path)))"
    }
    let copied = store.filesCopied == 0 ? "" : ", \(DisplayText.count(store.filesCopied, "file")) copied"
    return ["\(store.place)\(copied)"] + devices
  }

  private func summary(of device: SyncReport, isNew: Bool) -> String {
    var parts = isNew ? ["store created"] : []
    if device.transactionsExported > 0 {
      parts.append("\(DisplayText.count(device.transactionsExported, "transaction")) exported")
    }
    if device.transactionsMerged > 0 {
      parts.append(
        "\(DisplayText.count(device.transactionsMerged, "transaction")) merged "
          + "(\(DisplayText.count(device.recordsMerged, "record")))")
    }
    if device.snapshotsJoined > 0 { parts.append("began again with a snapshot") }
    if device.recordsCollected > 0 {
      parts.append("\(DisplayText.count(device.recordsCollected, "deleted record")) forgotten")
    }
    if device.filesCompacted > 0 { parts.append("\(DisplayText.count(device.filesCompacted, "file")) compacted") }
    if device.snapshotsWritten > 0 { parts.append("snapshot written") }
    for (count, what) in [(device.valuesReceived, "received"), (device.valuesDelivered, "delivered")] where count > 0 {
      parts.append("\(DisplayText.count(count, "large value")) \(what)")
    }
    if device.conflicts > 0 {
      parts.append("\(DisplayText.count(device.conflicts, "conflict")) logged, see 'tandem conflicts list'")
    }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }

  /// For standard error: what was refused, left waiting or left out, and what others have.
  var trouble: [String] { report.troubles + report.warnings }
}

/// An event of `--watch`: lines for a person, or one JSON object a line.
struct WatchText {
  let event: WatchEvent<DeviceReport>
  let isJSON: Bool

  func print() throws {
    guard isJSON else { return try printForPeople() }
    let object: JSON? =
      switch event {
      case .progress: nil
      case .synchronized(let report): ["event": .string("synchronized"), "report": try JSON(encoding: report)]
      case .warning(let sentence): ["event": .string("warning"), "message": .string(sentence)]
      case .trouble(let sentence): ["event": .string("trouble"), "message": .string(sentence)]
      case .over(let sentence): ["event": .string("over"), "message": .string(sentence)]
      }
    guard let object else { return }
    try Console.standard.print(object)
    try Console.standard.flush()
  }

  private func printForPeople() throws {
    switch event {
    case .progress: return
    case .synchronized(let report):
      for line in SyncText(report: report).lines { try Console.standard.print(DisplayText.visible(line)) }
      try Console.standard.flush()
    case .warning(let sentence), .trouble(let sentence): Console.standard.tell(sentence)
    case .over(let sentence): Console.standard.tell("over: \(sentence)")
    }
  }
}
