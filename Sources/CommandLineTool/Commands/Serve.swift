import ArgumentParser
import Foundation
import LivePage
import RecordStore
import RecordSync
import StoreInspection
import Synchronization
import Tandem

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show stores in a browser on this machine, live.",
    discussion: """
      Prints one line, the address of a page: records with filter, order and pages,
      schema, history, conflicts, devices, integrity, sizes, keys and values. What
      other processes commit shows at once. It can change nothing, unless
      --read-write is given; then it edits by the rules of 'tandem edit' and 'put',
      restores what lost, and synchronises the devices, or each with --folder.

      Only this machine reaches it, on 127.0.0.1, and only with the token in the
      address, which is new in each run: it lets its reader see the stores, so do not
      pass it on.

      Goes on until Ctrl-C or SIGTERM, and then ends with exit code 0. Exit code 2
      when the port is taken or there is no store; nothing was served then.

      Example: tandem serve phone laptop --read-write
      """)

  @Argument(
    help: ArgumentHelp(
      "Device directories and stores.",
      discussion: "Default: $TANDEM_CONTAINER_ROOT, else the person's own data folder.",
      valueName: "device"), completion: .directory, transform: GivenPath.text)
  var places: [String] = []

  @Option(help: ArgumentHelp("Listen on this port; by default on one that is free.", valueName: "port"))
  var port = 0

  @Flag(help: "Let the page edit records, restore what lost, and synchronise.")
  var readWrite = false

  @Option(
    help: ArgumentHelp("Let the page synchronise devices through this folder.", valueName: "folder"),
    completion: .directory, transform: GivenPath.text)
  var folder: String?

  @OptionGroup var authorship: AuthorOptions
  @OptionGroup var secrecy: PassphraseOptions
  @OptionGroup var access: AccessOptions

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port \(port) is not between 0 and 65535") }
    if folder != nil, !readWrite { throw ValidationError("--folder is to synchronise with; add --read-write") }
  }

  func run() throws {
    let hub = EventHub()
    let stores = try ServedStores(try paths(), access: access.configuration(nil, isReadOnly: true), hub: hub)
    let sync = try pageSync(hub)
    let checks = PageChecks(stores: stores, access: access)
    let server = PageServer(routes: routes(stores, sync, checks), isReadOnly: !readWrite, events: hub)
    let watch = stores.watch()
    defer {
      watch.cancel()
      checks.end()
      sync.cancel()
    }
    try serve(server)
  }

  private func paths() throws -> [String] {
    if !places.isEmpty { return places }
    let root = try GroupContainer(identifier: KeyValueStore.group(of: KeyValueStore.defaultSuiteName)).root
    guard FileManager.default.fileExists(atPath: root.path) else {
      throw CommandFailure("there is no store yet in \(root.path); name a store or a device directory")
    }
    return [root.path]
  }

  private func pageSync(_ hub: EventHub) throws -> PageSync {
    var options = DeviceSync.Options()
    options.passphrase = try secrecy.passphrase()
    options.timeoutSeconds = access.timeout
    options.configuration = access.configuration(nil, isReadOnly: false)
    let folder = try folder.map { try DeviceDirectory(URL(fileURLWithPath: $0, isDirectory: true)) }
    return PageSync(options: options, folder: folder, hub: hub)
  }

  private func routes(_ stores: ServedStores, _ sync: PageSync, _ checks: PageChecks) -> [PageRoute] {
    let reading = access.configuration(nil, isReadOnly: true)
    let all =
      StoreAnswers(stores: stores, isReadOnly: !readWrite, exchangeFolder: folder).routes
      + RecordAnswers(stores: stores).routes + HistoryAnswers(stores: stores).routes
      + EditAnswers(stores: stores, author: authorship.author).routes + KeyAnswers(stores: stores).routes
      + ConflictAnswers(stores: stores, author: authorship.author).routes
      + DeviceAnswers(stores: stores, access: reading, sync: sync).routes + [checks.route]
    return all.map(\.explainingErrors)
  }

  private func serve(_ server: PageServer) throws {
    let wait = MainThreadWait<Void>()
    let failure = Mutex<(any Error)?>(nil)
    let port = port
    try Interruption.shared.following(wake: { wait.cancel() }) {
      do {
        try wait.run {
          try await server.run(port: port) { address in
            do {
              try Console.standard.print(address)
              try Console.standard.flush()
            } catch {
              // The reader of the address has gone.
              failure.withLock { $0 = error }
              wait.cancel()
            }
          }
        }
      } catch let refusal as PageRefusal {
        throw CommandFailure(refusal.message)
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
