// Sources written for SwiftData use Foundation's types through it.
@_exported public import Foundation
@_exported public import Tandem
