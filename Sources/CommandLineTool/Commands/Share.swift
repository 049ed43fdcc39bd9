import ArgumentParser
import Foundation
import RecordStore
import RecordSync

struct Share: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Share a store with other people: invite them, list them, remove one.",
    discussion: """
      Makes a family of the store's own, in which are invited people alone. Its
      files are encrypted, and nobody takes what a writer has not signed. --invite
      writes an invitation: a file that is worth as much as what its role may do, so
      hand it over in private. The person runs 'tandem join'. Your own other devices
      need an invitation each, too. Only the device that founded the family invites
      and removes; keep a copy of the file <store>.family.

      --remove makes a new key. The next sync writes the folder anew, and all others
      need a new invitation; what the person had read stays read. Large values that
      this device has not loaded are loaded first, or lost with --accept-loss.
      Without --remove, --invitations writes one anew for each member, such as after
      a removal that was cut off. Exit code 2 if nothing was done; one sentence says
      why.

      Example: tandem share phone --invite Bob --output bob.invitation
      Example: tandem share phone --members
      Example: tandem share phone --remove Bob --invitations new
      Example: tandem share phone --invitations new
      """)

  @Argument(
    help: ArgumentHelp("The store, or a device directory with one store.", valueName: "store"), completion: .directory,
    transform: GivenPath.text)
  var store: String

  @Option(help: "How the others call you; by default the user's name.")
  var name: String?

  @Option(help: ArgumentHelp("Invite a person, or one of your devices, by this name.", valueName: "name"))
  var invite: String?

  @Flag(help: "Invite to read only.")
  var reader = false

  @Option(
    name: .customLong("output"), help: ArgumentHelp("The invitation.", valueName: "file"), completion: .file(),
    transform: GivenPath.text)
  var invitation: String?

  @Option(
    help: ArgumentHelp("Say in the invitation that the files lie in this folder.", valueName: "folder"),
    completion: .directory, transform: GivenPath.text)
  var folder: String?

  @Option(help: ArgumentHelp("Say in the invitation that the files lie at this remote.", valueName: "name:path"))
  var remote: String?

  @Flag(help: "List the people of the family.")
  var members = false

  @Option(help: ArgumentHelp("Remove a person, and make a new key.", valueName: "name"))
  var remove: String?

  @Option(
    help: ArgumentHelp("An empty folder for a new invitation of each other member.", valueName: "folder"),
    completion: .directory, transform: GivenPath.text)
  var invitations: String?

  @Flag(help: "Go on with --remove although large values that this device has not loaded are lost.")
  var acceptLoss = false

  @OptionGroup var secrecy: InvitationSecrecy
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let actions = [invite != nil, members, remove != nil || invitations != nil].filter { $0 }.count
    if actions > 1 {
      throw ValidationError(
        invitations == nil
          ? "give one of --invite, --members and --remove" : "--invitations goes with --remove, or alone")
    }
    if (invite == nil) != (invitation == nil) { throw ValidationError("--invite and --output go together") }
    if invite == nil, reader || folder != nil || remote != nil {
      throw ValidationError("--reader, --folder and --remote belong to --invite")
    }
    if folder != nil, remote != nil { throw ValidationError("name --folder or --remote, not both") }
    if remove == nil, acceptLoss { throw ValidationError("--accept-loss belongs to --remove") }
    if remove != nil, invitations == nil { throw ValidationError("--remove needs --invitations") }
  }

  func run() throws {
    let shared = try SharedStoreLocation.store(at: store)
    if members {
      return try ShareAnswer(
        place: shared.place, file: try shared.family(), showsMembers: true, hints: try hints(shared)
      )
      .print(output)
    }
    if let invitations { return try inviteAll(to: shared, in: invitations) }
    guard let invite, let invitation else {
      let file = try shared.found(named: name ?? Share.userName)
      return try ShareAnswer(place: shared.place, file: file).print(output)
    }
    try inviteMember(invite, to: shared, invitation)
  }

  private func hints(_ shared: SharedStore) throws -> [String] {
    guard let file = try shared.family() else { return [] }
    if let inviter = file.inviter {
      return ["the device of \(DisplayText.visible(inviter)) lists whom it has invited besides"]
    }
    // Nothing tells this device which members have used an invitation.
    guard file.hasReplacedKey, !file.members.isEmpty else { return [] }
    return ["a member without an invitation that has this key gets a new one from 'tandem share --invitations'"]
  }

  private func inviteMember(_ invite: String, to shared: SharedStore, _ path: String) throws {
    let url = URL(fileURLWithPath: path)
    // Before anything is founded or noted.
    try Share.refuseReplacing(url)
    let passphrase = try secrecy.passphrase()
    try shared.found(named: name ?? Share.userName)
    // First in the family's file: nobody gets an invitation that this device does not know.
    let made = try shared.invite(invite, as: reader ? .reader : .writer, meeting: meeting)
    try made.write(to: url, passphrase: passphrase)
    try ShareAnswer(
      place: shared.place, file: try shared.family(), written: [path],
      hints: ["hand \(path) over in private; 'tandem join' takes it, and shows the same key"]
    ).print(output)
  }

  private var meeting: MeetingPlace? {
    folder.map { .folder(URL(fileURLWithPath: $0, isDirectory: true).standardizedFileURL.path) }
      ?? remote.map { .remote($0) }
  }

  /// For all members, once one is removed where that was asked for.
  private func inviteAll(to shared: SharedStore, in folder: String) throws {
    let passphrase = try secrecy.passphrase()
    let former = try shared.family()
    if remove == nil, former?.isFounder ?? false, former?.members.isEmpty ?? false {
      throw CommandFailure("\(shared.place) is shared with nobody yet; invite somebody with 'tandem share --invite'")
    }
    try Share.prepare(URL(fileURLWithPath: folder, isDirectory: true))
    let invitations = try remove.map { try shared.remove($0, acceptingLoss: acceptLoss) } ?? shared.invitations()
    var written: [String] = []
    for (number, invitation) in invitations.enumerated() {
      // Names of people need not be names of files.
      let path = "\(folder)/\(number + 1)-\(Share.fileName(invitation.name)).invitation"
      do {
        try invitation.write(to: URL(fileURLWithPath: path), passphrase: passphrase)
      } catch let error as SyncError {
        throw lacking(invitations.dropFirst(number), error)
      }
      written.append(path)
    }
    let names = invitations.map { DisplayText.visible($0.name) }.joined(separator: ", ")
    let hints = [
      remove == nil ? nil : "synchronise this device now: that writes the folder with the new key",
      invitations.isEmpty ? nil : "hand \(names) the new invitations; each runs 'tandem join' with its own",
    ]
    try ShareAnswer(
      place: shared.place, file: try shared.family(), written: written, hints: hints.compactMap(\.self)
    ).print(output)
  }

  /// A person that was to be removed is so by then, and to ask for that again is refused.
  private func lacking(_ rest: ArraySlice<FamilyInvitation>, _ error: SyncError) -> CommandFailure {
    let names = rest.map { DisplayText.visible($0.name) }.joined(separator: ", ")
    let done = remove.map { "\(DisplayText.visible($0)) is removed and the key is new, but an" } ?? "an"
    return CommandFailure(
      "\(done) invitation is missing: \(CommandFailure.cause(error.message)); 'tandem share --invitations' writes that "
        + "of \(names) anew",
      status: .found)
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40))
  }

  private static var userName: String {
    let full = NSFullUserName()
    return full.isEmpty ? NSUserName() : full
  }

  private static func refuseReplacing(_ url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    throw CommandFailure("\(url.path) is there already; name a file that is not, since it may be somebody's invitation")
  }

  private static func prepare(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      guard try FileItem.names(in: folder).isEmpty else {
        throw CommandFailure("\(folder.path) is not empty; name an empty folder for the invitations")
      }
    } catch let error as CocoaError {
      throw CommandFailure("cannot use \(folder.path): \(error.systemReason); name an empty folder")
    }
  }
}
