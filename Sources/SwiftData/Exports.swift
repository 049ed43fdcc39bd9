@_exported public import Tandem
