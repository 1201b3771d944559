/**
 * Generated from @secretlint/secretlint-rule-preset-recommend 13.0.7 by `npm run generate`. Never edited.
 * MIT License, Copyright (c) 2020 azu, https://github.com/secretlint/secretlint (docs/masking.md has the licence).
 */
export const secretRules = [
  { provider: 'npm', prefixes: ['npm_'], pattern: /npm_[A-Za-z0-9_]{36}(?![A-Za-z0-9_])/uy },
  { provider: 'shopify', prefixes: ['shppa_', 'shpca_', 'shpat_', 'shpss_'], pattern: /(shppa|shpca|shpat|shpss)_[a-zA-Z0-9]{32,64}(?![a-zA-Z0-9])/uy },
  { provider: 'stripe', prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], pattern: /(?<prefix>sk_live|sk_test|rk_live|rk_test)_[a-zA-Z0-9]{24,99}(?![a-zA-Z0-9])/uy },
  { provider: 'github', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /(?<type>ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9_]{36}(?![A-Za-z0-9_])/uy },
  { provider: 'github', prefixes: ['github_pat_'], pattern: /(?<type>github_pat)_[A-Za-z0-9_]{82}(?![A-Za-z0-9_])/uy },
  { provider: 'github', prefixes: ['ghs_'], pattern: /(?<type>ghs)_[0-9]{1,20}_[A-Za-z0-9_-]{1,1000}\.[A-Za-z0-9_-]{1,10000}\.[A-Za-z0-9_-]{1,1000}(?![A-Za-z0-9_-])/uy },
  { provider: 'gitlab', prefixes: ['glpat-'], pattern: /glpat-[A-Za-z0-9_-]{20,128}(?![A-Za-z0-9_-])/uy },
  { provider: 'grafana', prefixes: ['glc_'], pattern: /glc_[A-Za-z0-9+/]{32,400}={0,2}(?![A-Za-z0-9+/=])/uy },
  { provider: 'grafana', prefixes: ['glsa_'], pattern: /glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}(?![A-Fa-f0-9])/uy },
  { provider: 'openai', prefixes: ['sk-'], pattern: /sk-(?:proj|svcacct|admin)-(?:[A-Za-z0-9_-]{74}|[A-Za-z0-9_-]{58})T3BlbkFJ(?:[A-Za-z0-9_-]{74}|[A-Za-z0-9_-]{58})\b|sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}/y },
  { provider: 'anthropic', prefixes: ['sk-ant-api0'], pattern: /sk-ant-api0\d-[A-Za-z0-9_-]{90,128}AA(?![A-Za-z0-9_-])/uy },
  { provider: 'groq', prefixes: ['gsk_'], pattern: /gsk_[a-zA-Z0-9]{52}(?![a-zA-Z0-9])/uy },
  { provider: 'huggingface', prefixes: ['hf_'], pattern: /hf_[a-zA-Z]{34}(?![a-zA-Z])/uy },
  { provider: 'linear', prefixes: ['lin_api_'], pattern: /lin_api_[a-zA-Z0-9_]{32,128}(?![a-zA-Z0-9_])/uy },
  { provider: 'notion', prefixes: ['ntn_'], pattern: /ntn_[0-9]{11}[A-Za-z0-9]{35}(?![A-Za-z0-9])/uy },
  { provider: '1password', prefixes: ['ops_'], pattern: /ops_(ey[A-Za-z0-9+/=]{100,1280}fQ={0,2})(?![A-Za-z0-9+/=])/uy },
  { provider: 'hashicorp-vault', prefixes: ['hvs.'], pattern: /hvs\.[A-Za-z0-9_-]{90,120}(?![A-Za-z0-9_-])/uy },
  { provider: 'hashicorp-vault', prefixes: ['hvb.'], pattern: /hvb\.[A-Za-z0-9_-]{138,300}(?![A-Za-z0-9_-])/uy },
  { provider: 'hashicorp-vault', prefixes: ['hvr.'], pattern: /hvr\.[A-Za-z0-9_-]{90,120}(?![A-Za-z0-9_-])/uy },
  { provider: 'vercel', prefixes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], pattern: /(?<prefix>vcp|vci|vca|vcr|vck)_[A-Za-z0-9]{20,60}(?![A-Za-z0-9])/uy },
  { provider: 'databricks', prefixes: ['dapi'], pattern: /dapi[A-Fa-f0-9]{32}(?:-[0-9])?(?![A-Fa-f0-9])/uy },
  { provider: 'docker', prefixes: ['dckr_pat_'], pattern: /dckr_pat_[a-zA-Z0-9_-]{27}(?![a-zA-Z0-9_-])/uy },
  { provider: 'figma', prefixes: ['figd_'], pattern: /figd_[A-Za-z0-9_-]{40,200}(?![A-Za-z0-9_-])/uy },
  { provider: 'cloudflare', prefixes: ['cfk_', 'cfut_', 'cfat_'], pattern: /(?<prefix>cfk|cfut|cfat)_[A-Za-z0-9]{40}[0-9a-f]{8}(?![A-Za-z0-9])/uy },
  { provider: 'tailscale', prefixes: ['tskey-'], pattern: /tskey-(?<type>[a-z]{2,20})-[0-9A-Za-z_]{8,40}-[0-9A-Za-z_]{16,60}(?![0-9A-Za-z_])/uy },
] as const;
