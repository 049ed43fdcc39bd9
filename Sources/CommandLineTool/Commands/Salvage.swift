import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

struct Salvage: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring what is intact in a damaged store into a new one.",
    discussion: """
      Reads the file page by page, past damaged ones, also pages whose parents are
      destroyed. What is taken has its right checksum. <store> stays as it is; no
      process may have it open. <new> must not exist; it becomes a new replica of the
      same family. What could not be recovered is listed; a later sync brings it back
      where other devices have it. Saves that no other device has are said again.

      Records of which only an older state is left, where damage hides whether they
      were deleted since, are listed and left out unless --with-doubtful is given.

      Exit code 0 if everything was recovered, 1 if something was not, 2 if nothing
      was done.

      Example: tandem salvage phone/group.example/shop.store shop-salvaged.store
      """)

  @Argument(
    help: ArgumentHelp("The damaged store's directory.", valueName: "store"), completion: .directory,
    transform: GivenPath.text)
  var store: String

  @Argument(
    help: ArgumentHelp("The new store's directory.", valueName: "new"), completion: .directory,
    transform: GivenPath.text)
  var new: String

  @Option(
    help: ArgumentHelp(
      "A backup or copy of the store, where the store's own catalogue is lost.", valueName: "store"),
    completion: .directory, transform: GivenPath.text)
  var schemaFrom: String?

  @Flag(help: "Bring back records, too, that were possibly deleted since.")
  var withDoubtful = false

  /// The child's side: works in this very process.
  @Flag(help: .hidden)
  var here = false

  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    if here {
      CrashSentence.remove()
      ParentWatch.begin()
      try salvage()
    } else {
      try SalvageChild(arguments: arguments, target: new).run()
    }
  }

  private var arguments: [String] {
    var arguments = ["salvage", store, new, "--here", "--timeout", "\(access.timeout)"]
    if let schemaFrom { arguments += ["--schema-from", schemaFrom] }
    if withDoubtful { arguments.append("--with-doubtful") }
    if access.unsafelyAllowNetworkFileSystem { arguments.append("--unsafely-allow-network-file-system") }
    if output.json { arguments.append("--json") }
    return arguments
  }

  private func salvage() throws {
    let target = try NewStore(path: new)
    let progress = Progress("salvage")
    let report = try Interruption.shared.whileRunning(tidy: { target.discard() }) {
      try target.fill { folder in
        var salvage = try StoreSalvage(
          of: URL(fileURLWithPath: store, isDirectory: true),
          schemaFrom: schemaFrom.map { URL(fileURLWithPath: $0, isDirectory: true) },
          includingDoubtful: withDoubtful
        ) { progress.update("page \($0) of \($1)") }
        var configuration = access.configuration(folder, isReadOnly: false)
        configuration.createsIfMissing = true
        try salvage.write(to: configuration)
        if here { try ParentWatch.endIfAlone() }
        return salvage.report
      }
    }
    progress.finish()
    if output.json {
      try Console.standard.print(SalvageText(report: report, place: new).json)
    } else {
      for line in SalvageText(report: report, place: new).lines { try Console.standard.print(line) }
    }
    if !report.lacksNothing { throw SilentExit(.found) }
  }
}

/// A salvage in a process of its own: whatever a damaged file does to it, this one tells.
struct SalvageChild {
  let arguments: [String]
  /// The new store's path.
  let target: String

  func run() throws {
    guard let executable = Bundle.main.executableURL else {
      throw CommandFailure(
        "cannot find this program's own file to read the store in a process of its own; reinstall tandem")
    }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    // The process itself refuses what is there already.
    let wasThere = try isThere
    let input = ParentWatch.input()
    process.standardInput = input
    defer { withExtendedLifetime(input) {} }
    try process.run()
    Interruption.shared.whileRunning(tidy: {
      // It tidies up after itself.
      process.terminate()
      process.waitUntilExit()
    }) { process.waitUntilExit() }
    if process.terminationReason == .uncaughtSignal {
      NewStore.discardAbandoned(of: target)
      let end = "the reading process ended by signal \(process.terminationStatus)"
      if try isThere, !wasThere {
        throw CommandFailure(
          "\(end) once \(target) was whole and in its place, before it could list what is missing there; remove it and "
            + "run it again for the list",
          status: .found)
      }
      throw CommandFailure("\(end), so nothing was made; run it again, and report it")
    }
    if process.terminationStatus != 0 { throw SilentExit(ExitStatus(code: process.terminationStatus)) }
  }

  private var isThere: Bool {
    get throws { try FileItem.isTaken(URL(fileURLWithPath: target, isDirectory: false)) }
  }
}
