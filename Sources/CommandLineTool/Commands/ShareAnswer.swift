import Foundation
import RecordSync
import StoreInspection

/// The answer of a command about a shared family.
struct ShareAnswer {
  var place: DeviceDirectory.Place
  /// Nil where the store is not shared.
  var file: FamilyFile?
  /// Whether the people of the family are part of the answer.
  var showsMembers = false
  /// Invitations that were written.
  var written: [String] = []
  /// The steps that are still to be done, in sentences.
  var hints: [String] = []

  func print(_ output: OutputOptions) throws {
    if output.json { return try Console.standard.print(json) }
    for line in lines { try Console.standard.print(line) }
    try Console.standard.flush()
    for hint in hints { Console.standard.tell(hint) }
  }

  private var lines: [String] {
    guard let file else { return ["\(place): not shared"] }
    var lines = ["\(place): family \(file.family), key \(file.key.id)"]
    if showsMembers {
      lines += members(of: file).map { "\($0.role.rawValue)  \(DisplayText.visible($0.name))\($0.remark)" }
      if let meeting { lines.append("meets at \(DisplayText.visible(meeting))") }
    }
    return lines + written.map { "written: \(DisplayText.visible($0))" }
  }

  private func members(of file: FamilyFile) -> [(name: String, role: FamilyRole, remark: String)] {
    var members = [(name: file.name, role: file.role, remark: file.isFounder ? ", founder, here" : ", here")]
    if let inviter = file.inviter { members.insert((inviter, .writer, ", founder"), at: 0) }
    return members + file.members.map { ($0.name, $0.role, "") }
  }

  /// The place where the files lie, without the parameters of a remote, of which some are secrets.
  private var meeting: String? {
    guard case .remote(let name)? = file?.meeting else { return file?.meeting?.description }
    do {
      return try RcloneTransport(name).name
    } catch {
      // No remote that rclone would take.
      return String(name.prefix { $0 != "," })
    }
  }

  private var json: JSON {
    .members([
      "place": .string("\(place)"), "isShared": .bool(file != nil), "family": file.map { .string("\($0.family)") },
      "key": file.map { .string($0.key.id) }, "name": file.map { .string($0.name) },
      "role": file.map { .string($0.role.rawValue) }, "isFounder": file.map { .bool($0.isFounder) },
      "inviter": file?.inviter.map { .string($0) }, "meeting": meeting.map { .string($0) },
      "members": file.map { file in
        .array(file.members.map { ["name": .string($0.name), "role": .string($0.role.rawValue)] })
      },
      "written": .array(written.map { .string($0) }),
    ])
  }
}
