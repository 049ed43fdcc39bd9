import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Rebuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a damaged or lost store anew from its exchange folder.",
    discussion: """
      FOLDER is the folder that the device is synchronised with ('tandem sync
      --folder'), or the directory of another device that has synchronised lately.
      The new store is a new replica with all that the folder, and the device's own
      copy of it, hold. It takes the old one's place, which is kept as
      <store>.replaced-<time>; no process may have the store open.

      Saves that were never exported are in no folder: their number is told, and
      'tandem salvage' brings back from the old store what is intact of them. Where
      the folder lacks anything else that the store was known to have, nothing is
      done (exit code 2) unless --accept-loss is given. Exit code 1 if saves were
      lost or files refused. Afterwards retire the old replica with 'tandem retire'.

      Example: tandem rebuild phone/group.example/shop.store --from ~/exchange
      """)

  @Argument(
    help: ArgumentHelp(
      "The store's directory, which may be missing, or that of a device with one store.", valueName: "store"),
    completion: .directory,
    transform: GivenPath.text)
  var store: String

  @Option(
    name: .customLong("from"), help: ArgumentHelp("The exchange folder.", valueName: "folder"), completion: .directory,
    transform: GivenPath.text)
  var folder: String

  @Flag(help: "Go on although the folder lacks something that the store had.")
  var acceptLoss = false

  @Flag(help: "Remove the old store, instead of keeping it beside the new one.")
  var discardReplaced = false

  @OptionGroup var secrecy: PassphraseOptions
  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let url = try StoreLocation.lostStore(at: store)
    try StoreLocation.requireFolders(above: url)
    guard url.pathExtension == "store" || StoreLocation.isStore(url) else {
      throw CommandFailure(
        "there is no store at \(url.path), and a sync finds one that is made anew only where it is named "
          + "<group>/<name>.store; name it so, such as \(url.path).store")
    }
    let source = URL(fileURLWithPath: folder, isDirectory: true)
    var options = StoreRebuild.Options()
    options.configuration = access.configuration(nil, isReadOnly: false)
    options.key = try KeyFile.familyKey(
      besideStoreAt: url, of: DeviceDirectory.Place(ofStoreAt: url).familyID, passphrase: secrecy.passphrase())
    options.acceptsLoss = acceptLoss
    options.keepsReplaced = !discardReplaced
    let progress = SyncProgress()
    let place = DeviceDirectory.Place(
      group: url.deletingLastPathComponent().lastPathComponent, name: url.lastPathComponent)
    options.progress = { progress.show($0, of: place) }
    let wait = MainThreadWait<StoreRebuild.Outcome>()
    let rebuild = StoreRebuild(of: url, from: source, options: options)
    let outcome = try Interruption.shared.cancelling({ wait.cancel() }) { try wait.run { try await rebuild.run() } }
    progress.finish()
    try show(outcome, of: url == URL(fileURLWithPath: store, isDirectory: true) ? store : url.path)
    if outcome.unexported ?? 0 > 0 || !outcome.lacking.isEmpty || !outcome.trouble.isEmpty { throw SilentExit(.found) }
  }

  private func show(_ outcome: StoreRebuild.Outcome, of path: String) throws {
    if output.json {
      try Console.standard.print(try JSON(encoding: outcome))
      return
    }
    try Console.standard.print(
      "\(DisplayText.visible(path)) is rebuilt: \(DisplayText.count(outcome.transactionsMerged, "transaction")), "
        + "\(DisplayText.count(outcome.recordsMerged, "record")), as replica \(outcome.replica)")
    if let replaced = outcome.replaced {
      try Console.standard.print("what was replaced is kept as \(DisplayText.visible(replaced))")
    }
    if let former = outcome.formerReplica {
      try Console.standard.print("its former replica \(former) is gone for good: 'tandem retire' tells the others")
    }
    switch outcome.unexported {
    case .some(0): break
    case .some(let count):
      try Console.standard.print(
        "never exported, so lost: \(DisplayText.count(Int(clamping: count), "transaction")); 'tandem salvage' brings "
          + "back what is intact in the old store")
    case nil: try Console.standard.print("whether saves were lost that were never exported cannot be told any more")
    }
    for line in outcome.lacking { try Console.standard.print("lost: \(line)") }
    try Console.standard.flush()
    for line in outcome.trouble { Console.standard.tell(line) }
  }
}
