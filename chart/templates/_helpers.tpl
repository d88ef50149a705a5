{{/* Room for the longest suffix: a name has at most 63 characters. */}}
{{- define "gantry.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 46 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of the workload API's objects. */}}
{{- define "gantry.workloadApi" -}}
{{- include "gantry.fullname" . }}-workload-api
{{- end -}}

{{- define "gantry.serviceAccount" -}}
{{- with .Values.workloadApi.serviceAccount -}}
{{- default (ternary (include "gantry.workloadApi" $) "default" .create) .name -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a component: (list $ "bot"). They never change. */}}
{{- define "gantry.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "gantry.labels" -}}
{{- $root := index . 0 -}}
{{ include "gantry.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "gantry.image" -}}
{{- with .Values.image -}}
{{- $repository := required "image.repository is missing. Set it to where the image is, like registry.example.com/gantry." .repository -}}
{{- if .digest }}{{ $repository }}@{{ .digest }}{{ else }}{{ $repository }}:{{ default $.Chart.AppVersion .tag }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* PodSecurity restricted. The user is `node` of the image, by number: of a name, nobody can tell whether it is root. */}}
{{- define "gantry.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "gantry.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* What both pods have beside their container: (list $ "bot" .Values.bot). */}}
{{- define "gantry.placement" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{ toYaml . | nindent 4 | trim }}
    {{- if not .labelSelector }}
    labelSelector:
      matchLabels: {{- include "gantry.selector" (list $root (index $ 1)) | nindent 8 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.hostAliases }}
hostAliases: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Where a container keeps its data: (list $ NAME .Values.bot.persistence IS_KEPT). */}}
{{- define "gantry.dataVolume" -}}
{{- $persistence := index . 2 -}}
- name: data
  {{- if index . 3 }}
  persistentVolumeClaim:
    claimName: {{ default (index . 1) $persistence.existingClaim }}
  {{- else }}
  emptyDir: {}
  {{- end }}
- name: tmp
  emptyDir: {}
{{- end -}}

{{/* A claim, unless there is one: (list $ NAME "bot" .Values.bot.persistence). */}}
{{- define "gantry.claim" -}}
{{- $persistence := index . 3 -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ index . 1 }}
  labels: {{- include "gantry.labels" (list (index . 0) (index . 2)) | nindent 4 }}
spec:
  accessModes: [ReadWriteOnce]
  {{- with $persistence.storageClass }}
  storageClassName: {{ . | quote }}
  {{- end }}
  resources:
    requests:
      storage: {{ $persistence.size }}
{{- end -}}

{{/* A budget for a component with several replicas: (list $ NAME "bot" .Values.bot). */}}
{{- define "gantry.disruptionBudget" -}}
{{- $root := index . 0 -}}
apiVersion: {{ ternary "policy/v1" "policy/v1beta1" ($root.Capabilities.APIVersions.Has "policy/v1") }}
kind: PodDisruptionBudget
metadata:
  name: {{ index . 1 }}
  labels: {{- include "gantry.labels" (list $root (index . 2)) | nindent 4 }}
spec:
  maxUnavailable: {{ (index . 3).podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels: {{- include "gantry.selector" (list $root (index . 2)) | nindent 6 }}
{{- end -}}

{{/* Gantry's own pods in this namespace, also of other releases. */}}
{{- define "gantry.ownPods" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
{{- end -}}

{{/* Whether the bot has a policy of its own, and where its pod finds it. */}}
{{- define "gantry.policyPath" -}}
{{- with .Values.bot -}}
{{- if .policy -}}/etc/gantry/policy/policy.yaml
{{- else if .policies -}}/etc/gantry/policy
{{- else if .existingPolicy -}}{{ printf "/etc/gantry/policy/%s" .existingPolicyFile | trimSuffix "/" }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The first region that runs jobs, in the order of their names. */}}
{{- define "gantry.jobsRegion" -}}
{{- $found := "" -}}
{{- range $name, $region := .Values.workloadApi.regions -}}
{{- if and $region.jobs (not $found) }}{{ $found = $name }}{{ end -}}
{{- end -}}
{{- $found -}}
{{- end -}}
