import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show how a device stands with the others: what each of them has, and what waits for what.",
    discussion: """
      Reads only. For every store of the device: the replicas of its family, what
      each has applied, which files are missing, what keeps deleted records from
      being forgotten, how large the exchange folder is, when it was last
      synchronised (of a run with nothing to do within the hour). Exit code 1 when
      something is missing or under way, 0 when all is settled.

      Example: tandem status phone
      """)

  @Argument(
    help: ArgumentHelp("A device directory.", valueName: "device"), completion: .directory, transform: GivenPath.text)
  var device: String

  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let directory = try DeviceDirectory(URL(fileURLWithPath: device, isDirectory: true))
    let found = try directory.status(configuration: access.configuration(nil, isReadOnly: true))
    if found.isEmpty {
      throw CommandFailure("\(device) holds no store; a device directory holds stores as <group>/<name>.store")
    }
    if output.json {
      let stores = try found.map {
        StatusReport(
          place: $0.place.description, status: $0.status,
          sharing: try FamilyFile.ifPresent(at: directory.familyFile(at: $0.place)).map(SharingReport.init))
      }
      try Console.standard.print(try JSON(encoding: stores))
    } else {
      for (place, status) in found {
        let family = try FamilyFile.ifPresent(at: directory.familyFile(at: place))
        for line in StatusText(place: place, status: status, family: family, terminal: .current).lines {
          try Console.standard.print(line)
        }
      }
    }
    if !found.allSatisfy(\.status.isSettled) { throw SilentExit(.found) }
  }
}

private struct StatusReport: Encodable {
  var place: String
  var status: SyncStatus
  var sharing: SharingReport?
}

/// A store's part in a shared family.
private struct SharingReport: Encodable {
  var family: String
  var name: String
  var role: FamilyRole
  var inviter: String?
  var members: [FamilyFile.Member]

  init(_ file: FamilyFile) {
    (family, name, role) = (file.family.description, file.name, file.role)
    (inviter, members) = (file.inviter, file.members)
  }
}

/// The status of one store as a person reads it.
struct StatusText {
  let place: DeviceDirectory.Place
  let status: SyncStatus
  /// The store's part in a shared family; nil where it has none.
  var family: FamilyFile?
  let terminal: Terminal

  var lines: [String] {
    [terminal.styled(place.description, .bold)] + table.lines(for: terminal)
      + notes.flatMap { DisplayText.wrapped($0, to: terminal.columns, indent: 2) } + [""]
  }

  private var table: TextTable {
    var table = TextTable([
      .init("replica"), .init("device"), .init("last saved"), .init("has", .right), .init("here", .right),
      .init("of ours", .right), .init(""),
    ])
    table.rows = status.replicas.map { replica in
      [
        replica.id, DisplayText.visible(replica.name), replica.lastSavedMilliseconds.map(time) ?? "-",
        String(replica.lastSequence), String(replica.appliedHere), String(replica.appliedThere), remark(on: replica),
      ]
    }
    return table
  }

  private func time(_ milliseconds: UInt64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
  }

  /// The end of a path is what tells it from others; a line of its own may be too short for all.
  private func fitted(_ path: String) -> String {
    guard let columns = terminal.columns, DisplayText.width(path) > columns - 2 else { return path }
    var end = path[...]
    while DisplayText.width("…\(end)") > columns - 2, !end.isEmpty { end.removeFirst() }
    return "…\(end)"
  }

  private var sharing: String? {
    guard let family else { return nil }
    if let inviter = family.inviter {
      return "shared: \(DisplayText.visible(inviter)) invited this device as a \(family.role.rawValue)"
    }
    let members = family.members.map { "\(DisplayText.visible($0.name)) (\($0.role.rawValue))" }
    let others = members.isEmpty ? "with nobody yet" : "with \(members.joined(separator: ", "))"
    return "shared: founded here by \(DisplayText.visible(family.name)), \(others)"
  }

  func remark(on replica: SyncStatus.Replica) -> String {
    var remarks: [String] = []
    if replica.isOwn { remarks.append("this device") }
    if replica.isFormer { remarks.append("this device before") }
    if replica.isRetired { remarks.append("retired") }
    if !replica.hasHead && !replica.isOwn { remarks.append("silent") }
    if replica.hasSameSchema == false { remarks.append("other schema") }
    if replica.epoch > 0 { remarks.append("clock epoch \(replica.epoch)") }
    return remarks.joined(separator: ", ")
  }

  var notes: [String] {
    var notes = status.lastSynchronizations.map {
      "last synchronised \(time($0.milliseconds)) with \(fitted(DisplayText.visible($0.path)))"
    }
    if status.lastSynchronizations.isEmpty { notes.append("never synchronised") }
    if let sharing { notes.append(sharing) }
    if status.unexported > 0 {
      let count = DisplayText.count(Int(clamping: status.unexported), "transaction")
      notes.append("\(count) saved here and not sent yet; run 'tandem sync'")
    }
    notes += status.waiting
    for replica in status.replicas {
      if replica.appliedHere < replica.lastSequence, !replica.isRetired {
        notes.append(
          "replica \(replica.id) has \(replica.lastSequence - replica.appliedHere) more that are not here yet")
      }
      if let reason = replica.collectionWaits {
        notes.append("deleted records are kept for replica \(replica.id): \(reason)")
      }
      if replica.collectionWaits != nil, replica.isFormer {
        notes.append(
          "replica \(replica.id) is what this device was before it was copied or restored: if no other device goes on "
            + "as that one, 'tandem retire' it")
      }
    }
    for reader in status.readersInTheWay {
      notes.append(
        "\(DisplayText.visible(reader.description)), lets the store's file grow with every save; continue or end it")
    }
    if status.pendingCollections > 0 { notes.append("records are to be forgotten once the files for it have arrived") }
    if let ahead = status.clockAheadMilliseconds {
      notes.append(
        "edits bear times up to \(DisplayText.duration(milliseconds: ahead)) ahead of this device's clock: the clock "
          + "of a device was ahead, or this one is behind; check them. Edits keep the order in which they knew of "
          + "each other")
    }
    if status.isClockDistrusted {
      notes.append(
        "this device's clock is far from the others'; set it, until then it is not used for the order of edits")
    }
    notes.append(
      "folder \(DisplayText.byteCount(status.folderBytes)): \(DisplayText.count(status.changeSets, "change set")), "
        + "\(DisplayText.count(status.snapshots, "snapshot")); "
        + "\(DisplayText.count(status.tombstones, "deleted record")) kept")
    return notes
  }
}
