import ArgumentParser
import Dispatch
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make two device directories equal, or one with an exchange folder.",
    discussion: """
      For every store of either side: both export what is new, missing files are
      copied both ways, both import. Nothing is lost silently: what lost against
      a later write is in 'tandem conflicts'. A second run has nothing to do.
      --folder names a folder that another tool moves between machines; --watch
      goes on until Ctrl-C, and then ends with exit code 0. Exit code 1 when a file had
      to be skipped, something could not be written, a store failed, or a device is
      known to have what has not arrived; everything else is done then.

      Example: tandem sync phone laptop
      Example: tandem sync phone --folder ~/Dropbox/exchange --watch
      """)

  @Argument(
    help: ArgumentHelp("A device directory, and a second one unless --folder is given.", valueName: "device"),
    completion: .directory)
  var devices: [String]

  @Option(help: ArgumentHelp("Exchange through this folder.", valueName: "folder"), completion: .directory)
  var folder: String?

  @Flag(help: "Go on: synchronise whenever something changes on either side.")
  var watch = false

  @Flag(help: "Let every user of the machine read what is written into --folder.")
  var sharedFolder = false

  @Option(help: ArgumentHelp("How often --watch looks at the folder.", valueName: "seconds"))
  var every = 2.0

  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if folder == nil {
      guard devices.count == 2 else {
        throw ValidationError("name two device directories, or one and --folder; \(devices.count) given")
      }
      if watch { throw ValidationError("--watch needs --folder") }
      if sharedFolder { throw ValidationError("--shared-folder needs --folder") }
    } else if devices.count != 1 {
      throw ValidationError("--folder goes with one device directory; \(devices.count) given")
    }
    guard every > 0, every <= 86_400 else {
      throw ValidationError("--every \(every) is not between 0 and 86400 seconds")
    }
  }

  func run() throws {
    if watch {
      try follow()
      return
    }
    let report = try synchronizeOnce()
    try show(report)
    if report.stores.isEmpty {
      throw CommandFailure(
        "\(sides.joined(separator: " and ")) hold no store; a device directory holds stores as <group>/<name>.store")
    }
    if !report.isComplete { throw SilentExit(.found) }
  }

  private var sides: [String] { devices + (folder.map { [$0] } ?? []) }

  private func directory(_ path: String) throws -> DeviceDirectory {
    try DeviceDirectory(URL(fileURLWithPath: path, isDirectory: true))
  }

  private func synchronizeOnce() throws -> DeviceReport {
    let progress = SyncProgress()
    var options = DeviceSync.Options()
    options.timeoutSeconds = access.timeout
    options.sharesFolder = sharedFolder
    options.configuration.timeoutSeconds = access.timeout
    options.configuration.unsafelyAllowsNetworkFileSystem = access.unsafelyAllowNetworkFileSystem
    options.progress = { place, _, event in progress.show(event, of: place) }
    defer { progress.finish() }
    let first = try directory(devices[0])
    let second = try directory(folder ?? devices[1])
    let isFolder = folder != nil
    let wait = MainThreadWait<DeviceReport>()
    let sync = DeviceSync(options: options)
    return try Interruption.shared.cancelling({ wait.cancel() }) {
      try wait.run {
        isFolder
          ? try await sync.synchronize(first, folder: second) : try await sync.synchronize(first, second)
      }
    }
  }

  /// Looks again after every commit of this device and every few seconds.
  private func follow() throws {
    let signal = DispatchSemaphore(value: 0)
    let observations = try StoreLocation.stores(inDevice: directory(devices[0]).url).map { url in
      try RecordStore.open(access.configuration(url, isReadOnly: true)).observeCommits { _ in signal.signal() }
    }
    defer { for observation in observations { observation.cancel() } }
    try Interruption.shared.following(wake: { signal.signal() }) {
      var shown: DeviceReport?
      while !Interruption.shared.isRequested {
        let report = try synchronizeOnce()
        // What is missing stays missing for a while, and is said once.
        if report != shown, shown == nil || !report.isUnchanged || !report.isComplete { try show(report) }
        try Console.standard.flush()
        shown = report
        _ = signal.wait(timeout: .now() + every)
      }
    }
  }

  private func show(_ report: DeviceReport) throws {
    if output.json {
      try Console.standard.print(try JSON(encoding: report))
      return
    }
    let text = SyncText(report: report)
    for line in text.lines { try Console.standard.print(line) }
    try Console.standard.flush()
    for line in text.trouble { Console.standard.note("tandem: \(line)") }
  }
}

/// A report of synchronisation as a person reads it.
struct SyncText {
  let report: DeviceReport

  var lines: [String] {
    if report.stores.isEmpty { return [] }
    if report.isUnchanged && report.isComplete { return ["nothing to do: the sides are equal"] }
    return report.stores.flatMap { lines(of: $0) }
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
    if device.conflicts > 0 {
      parts.append("\(DisplayText.count(device.conflicts, "conflict")) logged, see 'tandem conflicts list'")
    }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }

  /// Most reasons name the file themselves.
  private func sentence(_ refusal: SyncReport.Refusal, _ place: some CustomStringConvertible) -> String {
    let reason = refusal.reason
    return "\(place): refused: " + (reason.contains(refusal.file) ? reason : "\(refusal.file): \(reason)")
  }

  /// For standard error: what was refused, left waiting or left out, and what others have.
  var trouble: [String] {
    report.stores.flatMap { store -> [String] in
      let failure = store.failure.map { ["\(store.place): \($0)"] } ?? []
      var refused = store.refused
      var sentences = store.undelivered
      for (_, device) in store.devices.sorted(by: { $0.key < $1.key }) {
        refused += device.refused.filter { !refused.contains($0) }
        let more = device.undelivered + device.missing + device.waiting + device.warnings
        sentences += more.filter { !sentences.contains($0) }
      }
      return failure + refused.map { sentence($0, store.place) } + sentences.map { "\(store.place): \($0)" }
    }
  }
}
